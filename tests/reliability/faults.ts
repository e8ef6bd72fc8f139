/** Ways in which application code fails: the deeds of hooks, handlers and providers, and the values that they throw. */

/** Values to throw; each call makes a new one. */
export const errorValues: Readonly<Record<string, () => unknown>> = {
  'an error': () => new Error('secret'),
  null: () => null,
  undefined: () => undefined,
  'a string': () => 'secret',
  'a symbol': () => Symbol('secret'),
  'a frozen error': () => Object.freeze(new Error('secret')),
  'an error whose getters throw': () => {
    const error = new Error('secret')
    // The stack first, because reading it reads the others
    for (const name of ['stack', 'message', 'name', 'cause', 'status', 'statusCode', 'code', 'headers', 'expose', 'then']) {
      Object.defineProperty(error, name, {
        get() {
          throw new Error('secret')
        },
      })
    }
    return error
  },
  'an error with a huge cause': () => {
    let error = new Error('secret')
    for (let depth = 0; depth < 500; depth++) error = new Error('secret', { cause: error })
    return error
  },
}

/** `done` is undefined in hooks that are asynchronous. */
type Act = (reply: any, value: () => unknown, done: ((error?: unknown) => void) | undefined) => unknown

export interface Deed {
  readonly act: Act
  /** Whether it fails, with a value. */
  readonly throws: boolean
  readonly replies: boolean
  /** Whether it calls `done`. */
  readonly continues: boolean
  /** Whether its promise never settles. */
  readonly hangs: boolean
}

const deed = (act: Act, { throws = false, replies = false, continues = false, hangs = false } = {}): Deed => ({
  act,
  throws,
  replies,
  continues,
  hangs,
})

export const deeds: Readonly<Record<string, Deed>> = {
  throws: deed(
    (_reply, value) => {
      throw value()
    },
    { throws: true },
  ),
  'rejects, or fails by done': deed((_reply, value, done) => (done === undefined ? Promise.reject(value()) : done(value())), {
    throws: true,
    continues: true,
  }),
  'never settles': deed((_reply, _value, done) => (done === undefined ? new Promise(() => {}) : undefined), { hangs: true }),
  'replies early': deed((reply) => void reply.code(202).send('early'), { replies: true }),
  'replies and continues': deed((reply, _value, done) => (reply.code(202).send('early'), done?.()), {
    replies: true,
    continues: true,
  }),
  'replies twice': deed((reply, _value, done) => (reply.code(202).send('early'), reply.send('again'), done?.()), {
    replies: true,
    continues: true,
  }),
  'throws after its reply': deed(
    (reply, value) => {
      reply.code(202).send('early')
      throw value()
    },
    { throws: true, replies: true },
  ),
  'continues twice': deed((_reply, _value, done) => (done?.(), done?.()), { continues: true }),
}

/** Kinds of functions that a hook can be. */
export const styles = ['sync', 'async', 'callback'] as const
export type Style = (typeof styles)[number]

/** The position of `done` among the arguments, and that of the reply. */
export const hookArity: Readonly<Record<string, number>> = {
  onRequest: 2,
  preParsing: 3,
  preValidation: 2,
  preHandler: 2,
  preSerialization: 3,
  onSend: 3,
  onError: 3,
  onResponse: 2,
}

/** A hook that does a deed in a style. `sync` returns nothing and takes no `done`, so that only a reply or a throw ends it. */
export function makeHook(name: string, { act }: Deed, style: Style, value: () => unknown): any {
  if (style === 'async') return async (_request: unknown, reply: unknown) => act(reply, value, undefined)
  if (style === 'sync') {
    return (_request: unknown, reply: unknown) => {
      const result: any = act(reply, value, undefined)
      return typeof result?.then === 'function' ? result : undefined
    }
  }
  return hookArity[name] === 2
    ? (_request: unknown, reply: unknown, done: any) => void act(reply, value, done)
    : (_request: unknown, reply: unknown, _payload: unknown, done: any) => void act(reply, value, done)
}

/** Text that must not be in a reply. */
export const isLeak = (body: string): boolean => /secret|node_modules|\bat .+:\d+:\d+/.test(body)
