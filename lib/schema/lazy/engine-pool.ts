/** The default engines of a server: one for all contexts that see shared schemas of the same content. */
import { CompiledSchemas } from './cache.js'
import type { SerializeFunction } from '../../types/compilers.js'
import type { ServerOptions } from '../../types/options.js'
import { BuildRecording } from '../../build/build-recording.js'
import { type BuildSource, madeOf, readBuild } from '../../build/prebuilt.js'
import { jsonText } from './check.js'
import { SerializationEngine } from '../serialize-response.js'
import { isExtended, ValidationEngine, type Validator, type Variant } from '../ajv/engine.js'

export class EnginePool {
  readonly #options: Readonly<ServerOptions>
  readonly #validation = new Map<string, ValidationEngine>()
  readonly #serialization = new Map<string, SerializationEngine>()
  readonly #validators = new Map()
  readonly #serializers = new Map()
  readonly #build: BuildSource | undefined
  readonly #missing: string[] = []

  constructor(options: Readonly<ServerOptions>, build: BuildSource | undefined) {
    this.#options = options
    this.#build = build
    const { prebuilt } = options
    if (!(prebuilt instanceof BuildRecording)) return
    prebuilt.start(engineOptions(options), (add) => {
      for (const engine of this.#validation.values()) for (const { key, code } of engine.code()) add('validators', key, code)
      for (const engine of this.#serialization.values()) for (const { key, code } of engine.code()) add('serializers', key, code)
    })
  }

  /** Routes and parts whose schemas are not in the build. */
  get missing(): readonly string[] {
    return this.#missing
  }

  validation(shared: Record<string, any>): ValidationEngine {
    return pooled(this.#validation, shared, (text) => {
      const { jsv = {}, compile } = this.#options
      // What functions of the application do to one engine they need not do to another.
      const alone = isExtended(jsv) ? new Map() : this.#validators
      const kind = 'validators'
      const compiled = new CompiledSchemas<Validator, Variant>({ kind, alone, build: this.#build, onMissing: this.#onMissing }, text)
      return new ValidationEngine(isExtended(jsv) ? shared : snapshot(shared, text), jsv, compiled, compile)
    })
  }

  serialization(shared: Record<string, any>): SerializationEngine {
    return pooled(this.#serialization, shared, (text) => {
      const { serializerOpts, compile } = this.#options
      const alone = this.#serializers
      const kind = 'serializers'
      const compiled = new CompiledSchemas<SerializeFunction>({ kind, alone, build: this.#build, onMissing: this.#onMissing }, text)
      return new SerializationEngine(snapshot(shared, text), serializerOpts, compiled, compile)
    })
  }

  readonly #onMissing = (where: string): void => void this.#missing.push(where)
}

/** The build that a server was given, if it holds good for it. */
export function buildOf(options: Readonly<ServerOptions>, warn: (text: string) => void): BuildSource | undefined {
  const { prebuilt } = options
  if (prebuilt === undefined || prebuilt instanceof BuildRecording) return undefined
  return readBuild(prebuilt, madeOf(engineOptions(options)), warn)
}

/** Of what the engines compile depends on; `undefined` where JSON does not say it all. */
function engineOptions({ jsv = {}, serializerOpts = {} }: Readonly<ServerOptions>): string | undefined {
  return isExtended(jsv) ? undefined : jsonText({ customOptions: jsv.customOptions ?? {}, serializerOpts })
}

/** The shared schemas as they are now: what is compiled late is to find them so. */
function snapshot(shared: Record<string, any>, text: string | undefined): Record<string, any> {
  return text === undefined ? shared : (JSON.parse(text) as Record<string, any>)
}

function pooled<Engine>(pool: Map<string, Engine>, shared: Record<string, any>, create: (text: string | undefined) => Engine): Engine {
  const text = jsonText(shared)
  const known = text === undefined ? undefined : pool.get(text)
  if (known !== undefined) return known
  const engine = create(text)
  if (text !== undefined) pool.set(text, engine)
  return engine
}
