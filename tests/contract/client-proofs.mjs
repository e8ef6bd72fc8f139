/**
 * Writes TypeScript that compiles if replies fit the types of a client. Bodies are written as literals into the branch to which comparing
 * `status` narrows the reply, so a property that the type does not have is a fault too.
 */

/** The items that were read of a stream. */
export class ReadStream {
  constructor(items) {
    this.items = items
  }
}

/** Lines that proofs begin with, behind the import of `EventStream`. */
export const preamble = 'declare function streamOf<T>(items: T[]): EventStream<T>\n'

/** Collects what was sent to the functions of one client, and what was answered. */
export class Proof {
  #functions = new Map()
  /** How many different parts and bodies are compared with their types, and how many values the types must refuse. */
  compared = 0
  refused = 0

  addParts(name, parts) {
    this.#of(name).parts.add(literal(parts))
  }

  /** @param shape `isKnown`: whether the type tells more than `unknown`. `wrong`: a value that it must refuse. Each is optional */
  addReply(name, { status, body }, shape = {}) {
    const { replies } = this.#of(name)
    const known = replies.get(status) ?? { bodies: new Set(), ...shape }
    replies.set(status, known)
    known.bodies.add(literal(body))
  }

  /** @param typeOf the type of a function by its name */
  write(typeOf) {
    return [...this.#functions]
      .map(([name, { parts, replies }], index) => {
        this.compared += parts.size
        const branches = [...replies].map(([status, reply]) => this.#branch(status, reply))
        return [
          `// ${name}`,
          `export async function proof${index}(call: ${typeOf(name)}): Promise<void> {`,
          `  const parts: Parameters<typeof call>[0][] = [\n${lines(parts)}  ]`,
          `  const reply = await call(parts[0]!)`,
          ...branches,
          `}\n`,
        ].join('\n')
      })
      .join('\n')
  }

  #branch(status, { bodies, isKnown, wrong }) {
    this.compared += bodies.size
    if (wrong !== undefined) this.refused++
    return [
      `  if (reply.status === ${status}) {`,
      `    const bodies: (typeof reply.body)[] = [\n${lines(bodies)}    ]`,
      ...(isKnown === undefined ? [] : [`    const isKnown: unknown extends typeof reply.body ? false : true = ${isKnown}`]),
      ...(wrong === undefined
        ? []
        : ['    // @ts-expect-error the document does not list this value', `    bodies.push(${literal(wrong)})`]),
      '  }',
    ].join('\n')
  }

  #of(name) {
    const known = this.#functions.get(name) ?? { parts: new Set(), replies: new Map() }
    this.#functions.set(name, known)
    return known
  }
}

function lines(texts) {
  return [...texts].map((text) => `      ${text},\n`).join('')
}

/** JSON is TypeScript too. Only the type counts of what cannot be written. */
function literal(value) {
  if (value instanceof Blob) return 'new Blob()'
  if (value instanceof ReadStream) return `streamOf(${JSON.stringify(value.items)})`
  return JSON.stringify(value) ?? 'undefined'
}
