/** Stands for the compilers of schemas (ajv, fast-json-stringify) in the worker, which generates no code. */
export default function refuse() {
  throw new Error('The worker compiles no schemas. Run alcove build again, and see whether it names a schema that it leaves out')
}
export { refuse as Ajv }
