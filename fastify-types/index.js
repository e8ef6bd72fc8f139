// This entry has only types. It exists at run time because `import 'alcove/fastify-types'` stays in what TypeScript emits.
// oxlint-disable-next-line unicorn/require-module-specifiers
export {}
