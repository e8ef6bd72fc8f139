/** The errors that can occur only in applications with decorated classes, by code. They are a part of the table in ./codes.ts. */
export const errorsOfClasses = {
  // configurations
  ALC_ERR_ENVIRONMENT_INVALID: [
    500,
    (count: string, problems: string) =>
      `The environment has ${count}:\n${problems}\nSet the variables in the environment of the process, or in a file for node --env-file=<file>.`,
  ],
  ALC_ERR_ENVIRONMENT_SCHEMA_INVALID: [
    500,
    (problem: string) => `environment(…) was called with a schema that cannot be used: ${problem}.`,
    TypeError,
  ],

  // jobs, queues and events
  ALC_ERR_JOB_INPUT_INVALID: [500, (owner: string, problem: string) => `The schema of ${owner} refuses the value: ${problem}`],
  ALC_ERR_JOB_TIMEOUT: [
    500,
    (job: string, limit: number, owner: string) =>
      `${job} has not ended within ${limit} ms. Raise the timeout of ${owner}, or end sooner by the signal of the job.`,
  ],

  // idempotency keys
  ALC_ERR_IDEMPOTENCY: [500, (place: string, problem: string) => `${place} ${problem}.`],

  // versions of resources
  ALC_ERR_VERSION: [
    500,
    (place: string, field: string, type: string) =>
      `${place} answers with a payload whose '${field}' is not ${type === 'integer' ? 'an integer' : 'a text'}, but its version.`,
  ],
} as const
