import { buildValidatorCompiler, type SchemaController } from 'alcove'

/**
 * JSON has types, so a body is taken as it was sent: `null` is not the number 0. Parameters, query strings and headers are texts, which
 * become what their schemas say.
 */
export const exactBodies: SchemaController = {
  compilersFactory: {
    buildValidator(schemas, options) {
      const coercing = buildValidatorCompiler(schemas, options)
      const exact = buildValidatorCompiler(schemas, { ...options, customOptions: { coerceTypes: false } })
      return (route) => (route.httpPart === 'body' ? exact : coercing)(route)
    },
  },
}
