/** A plugin of TypeDoc: entries have the names that users import, each export stands under a subject, and no member is described twice. */
import { Application, Comment, CommentTag, Converter, ReflectionKind } from 'typedoc'

/** The entries of the package by the folders of their declarations. */
const entries = {
  decorators: { name: 'alcove', text: 'The decorators for classes, and the programmatic server.' },
  'decorators/contract': { name: 'alcove/contract', text: 'The interface of an application as data and as OpenAPI.' },
  'decorators/jobs/drivers': { name: 'alcove/jobs', text: 'Drivers that keep jobs in PostgreSQL and in Redis.' },
  'decorators/runtimes/bun': { name: 'alcove/bun', text: 'A server of Bun.' },
  'decorators/runtimes/deno': { name: 'alcove/deno', text: 'A server of Deno.' },
  'decorators/runtimes/lambda': { name: 'alcove/lambda', text: 'A handler for the events of AWS Lambda.' },
  'decorators/telemetry': { name: 'alcove/telemetry', text: 'Spans and metrics by OpenTelemetry.' },
  'decorators/conditional': { name: 'alcove/conditional', text: 'Conditional requests on the version of a resource: ETag, If-Match.' },
  'decorators/idempotency': { name: 'alcove/idempotency', text: 'Requests that can be sent again without doing their work twice.' },
  lib: { name: 'alcove/lib', text: 'The programmatic server alone. Its exports are described under `alcove`, but for those that differ.' },
  'lib/fastify': { name: 'alcove/fastify', text: 'The server under the names, error codes and defaults of Fastify 5.' },
}

/** In the order of the sidebar. The first whose pattern matches counts. */
const subjects = [
  ['Start, check, test', /run\/bootstrap|tools\/|decorators\/client\/|close-on-signals|create-server/],
  ['Plugins and imports', /declare\/(plugin|imports)\./],
  ['Routes and controllers', /declare\/(route|schema|stream)\.|schema\/streams|types\/route\./],
  ['Request and reply', /types\/(request|reply|decorations|inject)\.|lifecycle\/content\//],
  ['Providers', /declare\/(injectable|tokens|metadata-decorator)\./],
  ['Hooks and handlers', /declare\/(hook|handler-class|metadata)\.|types\/hooks\.|context\/hooks\./],
  ['Jobs, queues and events', /decorators\/jobs\//],
  ['Repeated and conditional requests', /decorators\/(idempotency|conditional)\//],
  ['Other runtimes', /decorators\/runtimes\//],
  ['Telemetry', /decorators\/telemetry\//],
  ['Access rules', /declare\/access\//],
  ['Models', /declare\/model\//],
  ['Schemas', /types\/(compilers|schema)\.|schema\/ajv/],
  ['Errors', /errors\/|error-class|wiring\/faults|fastify\/errors/],
  ['Server', /types\/(server|options|plugin|logger)\.|lifecycle\/log-request|fastify\/(index|adapt|options)/],
  ['Configuration', /schema\/environment\//],
  ['Description of an application', /types\/description\.|describe\/|context\/declared-replies|decorators\/contract\//],
  ['Building ahead of time', /build\//],
]

/** @param {import('typedoc').Application} app */
export function load(app) {
  // Options of plugins are forgotten until then.
  app.on(Application.EVENT_BOOTSTRAP_END, () => {
    app.options.setValue(
      'categoryOrder',
      subjects.map(([title]) => title),
    )
  })
  app.converter.on(Converter.EVENT_RESOLVE_BEGIN, (context) => {
    for (const { comment } of Object.values(context.project.reflections)) if (comment !== undefined) separateExamples(comment)
    for (const module of context.project.children ?? []) {
      const { name, text } = entries[module.name] ?? fail(`${module.name} is an entry that site/api/typedoc-plugin.mjs does not know`)
      module.name = name
      module.comment = new Comment([{ kind: 'text', text }])
      for (const reflection of module.children ?? []) setSubject(context, reflection)
    }
  })
  // TypeDoc finds inherited members at 0, groups at -100, and makes categories at -200.
  app.converter.on(Converter.EVENT_RESOLVE_END, ({ project }) => removeInherited(project), -50)
  app.converter.on(Converter.EVENT_RESOLVE_END, ({ project }) => sortByName(project), -250)
}

/**
 * @param {import('typedoc').Context} context
 * @param {import('typedoc').DeclarationReflection} reflection
 */
function setSubject(context, reflection) {
  const declared = reflection.kindOf(ReflectionKind.Reference) ? reflection.getTargetReflectionDeep() : reflection
  const [declaration] = context.getSymbolFromReflection(declared)?.declarations ?? fail(`${reflection.name} has no declaration`)
  const file = declaration.getSourceFile().fileName
  const subject =
    subjects.find(([, pattern]) => pattern.test(file)) ?? fail(`${file} is of no subject: add it in site/api/typedoc-plugin.mjs`)
  const documented = [reflection, ...(reflection.signatures ?? [])].filter((one) => one.comment)
  if (documented.length === 0) reflection.comment = new Comment()
  for (const { comment } of documented.length === 0 ? [reflection] : documented)
    comment.blockTags.push(new CommentTag('@category', [{ kind: 'text', text: subject[0] }]))
}

/** A member is described once, where it is declared: pages of interfaces that inherit it link that page. */
function removeInherited(project) {
  for (const reflection of project.getReflectionsByKind(ReflectionKind.SomeMember))
    if (reflection.inheritedFrom?.reflection !== undefined) project.removeReflection(reflection)
}

/** Members of an interface keep the order of the source; the exports of an entry are looked up by their names. */
function sortByName(project) {
  for (const module of project.children ?? [])
    for (const category of module.categories ?? []) category.children.sort((one, other) => one.name.localeCompare(other.name))
}

/** An empty line before each block of code: lists of exports show the first paragraph, and not an example that follows its text. */
function separateExamples({ summary }) {
  for (const [index, { kind, text }] of summary.entries()) {
    const before = summary[index - 1]
    if (kind === 'code' && text.startsWith('```') && before?.kind === 'text') before.text = before.text.replace(/\n*$/, '\n\n')
  }
}

function fail(message) {
  throw new Error(message)
}
