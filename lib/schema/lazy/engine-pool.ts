/** The default engines of a server. Contexts with equal shared schemas share one engine. */
import { BuildRecording } from '../../build/build-recording.js'
import { type BuildSource, readBuild, type SchemaKind } from '../../build/prebuilt.js'
import type { SerializeFunction } from '../../types/compilers.js'
import type { ServerOptions } from '../../types/options.js'
import { ValidationEngine, type Validator, type Variant } from '../ajv/engine.js'
import { isExtended } from '../ajv/plugins.js'
import { SerializationEngine } from '../fast-json.js'
import type { CacheSettings } from './cache.js'
import { jsonText } from './check.js'
import { describeEngineOptions } from './engine-options.js'

export class EnginePool {
  readonly #options: Readonly<ServerOptions>
  readonly #validation = new Map<string, ValidationEngine>()
  readonly #serialization = new Map<string, SerializationEngine>()
  readonly #validators: CacheSettings<Validator, Variant>['alone'] = new Map()
  readonly #serializers: CacheSettings<SerializeFunction, undefined>['alone'] = new Map()
  readonly #build: BuildSource | undefined
  readonly #missing: string[] = []

  constructor(options: Readonly<ServerOptions>, build: BuildSource | undefined) {
    this.#options = options
    this.#build = build
    const { prebuilt } = options
    if (!(prebuilt instanceof BuildRecording)) return
    prebuilt.start(describeEngineOptions(options), (sink) => {
      for (const engine of this.#validation.values()) engine.writeTo(sink)
      for (const engine of this.#serialization.values()) engine.writeTo(sink)
    })
  }

  /** The routes and parts whose schemas are not in the build. */
  get missing(): readonly string[] {
    return this.#missing
  }

  validation(shared: Record<string, any>): ValidationEngine {
    const { jsv = {}, compileSchemas } = this.#options
    return findOrCreate(this.#validation, shared, (text) => {
      // Functions of the application may change each engine in another way, so such engines share neither functions nor schemas.
      if (isExtended(jsv)) return new ValidationEngine(shared, jsv, compileSchemas, this.#cacheSettings('validators', new Map(), text))
      return new ValidationEngine(snapshot(shared, text), jsv, compileSchemas, this.#cacheSettings('validators', this.#validators, text))
    })
  }

  serialization(shared: Record<string, any>): SerializationEngine {
    const { serializerOpts, compileSchemas } = this.#options
    return findOrCreate(this.#serialization, shared, (text) => {
      const settings = this.#cacheSettings('serializers', this.#serializers, text)
      return new SerializationEngine(snapshot(shared, text), serializerOpts, compileSchemas, settings)
    })
  }

  #cacheSettings<Compiled, Variant>(
    kind: SchemaKind,
    alone: CacheSettings<Compiled, Variant>['alone'],
    sharedText: string | undefined,
  ): CacheSettings<Compiled, Variant> {
    return { kind, alone, build: this.#build, sharedText, onMissing: (where) => void this.#missing.push(where) }
  }
}

/** Returns the build that the server was given; `undefined` if there is none, or if it was made with other versions or options. */
export function buildOf(options: Readonly<ServerOptions>, warn: (text: string) => void): BuildSource | undefined {
  const { prebuilt } = options
  if (prebuilt === undefined || prebuilt instanceof BuildRecording) return undefined
  return readBuild(prebuilt, describeEngineOptions(options), warn)
}

/** Copies the shared schemas, because schemas that are compiled later must not see changes that are made until then. */
function snapshot(shared: Record<string, any>, text: string | undefined): Record<string, any> {
  return text === undefined ? shared : (JSON.parse(text) as Record<string, any>)
}

/**
 * Returns the engine for these shared schemas, and makes it if there is none yet. Shared schemas that are not plain JSON get an engine of
 * their own.
 */
function findOrCreate<Engine>(
  pool: Map<string, Engine>,
  shared: Record<string, any>,
  create: (text: string | undefined) => Engine,
): Engine {
  const text = jsonText(shared)
  const known = text === undefined ? undefined : pool.get(text)
  if (known !== undefined) return known
  const engine = create(text)
  if (text !== undefined) pool.set(text, engine)
  return engine
}
