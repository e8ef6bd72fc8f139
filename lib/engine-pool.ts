/** The default engines of a server: one for all contexts that see shared schemas of the same content. */
import { CompiledSchemas } from './compiled-schemas.js'
import type { SerializeFunction, ServerOptions } from './contract.js'
import { jsonText } from './schema-check.js'
import { SerializationEngine } from './serialization.js'
import { isExtended, ValidationEngine, type Validator } from './validation.js'

export class EnginePool {
  readonly #options: Readonly<ServerOptions>
  readonly #validation = new Map<string, ValidationEngine>()
  readonly #serialization = new Map<string, SerializationEngine>()
  readonly #validators = CompiledSchemas.create<Validator>()
  readonly #serializers = CompiledSchemas.create<SerializeFunction>()

  constructor(options: Readonly<ServerOptions>) {
    this.#options = options
  }

  validation(shared: Record<string, any>): ValidationEngine {
    return pooled(this.#validation, shared, () => {
      const options = this.#options.jsv ?? {}
      // What functions of the application do to one engine they need not do to another.
      const compiled = isExtended(options) ? CompiledSchemas.create<Validator>() : this.#validators.beside()
      return new ValidationEngine(shared, options, compiled, this.#options.compile)
    })
  }

  serialization(shared: Record<string, any>): SerializationEngine {
    return pooled(
      this.#serialization,
      shared,
      () => new SerializationEngine(shared, this.#options.serializerOpts, this.#serializers.beside(), this.#options.compile),
    )
  }
}

function pooled<Engine>(pool: Map<string, Engine>, shared: Record<string, any>, create: () => Engine): Engine {
  const text = jsonText(shared)
  const known = text === undefined ? undefined : pool.get(text)
  if (known !== undefined) return known
  const engine = create()
  if (text !== undefined) pool.set(text, engine)
  return engine
}
