/** A store of idempotency keys in Redis, or in a server with the same protocol (Valkey). */
import { assertKnownOptions } from '../../lib/internal.js'
import { fromText, toText } from './kept-text.js'
import type { ClaimResult, IdempotencyStore, KeptReply, KeyClaim } from './store.js'

/**
 * Sends a command to Redis, and returns its reply.
 * ```ts
 * const store = new RedisStore((command, ...args) => ioredis.call(command, ...args))
 * const other = new RedisStore((...command) => nodeRedis.sendCommand(command))
 * ```
 */
export type RedisCommand = (command: string, ...args: string[]) => Promise<unknown>

// A value is `<fingerprint> <owner> ` and, once the reply is kept, its text. Each script is one atomic step.
const claimScript = `
local value = redis.call('GET', KEYS[1])
if value then return value end
redis.call('SET', KEYS[1], ARGV[1], 'PX', ARGV[2])
return ''`
const completeScript = `
if redis.call('GET', KEYS[1]) ~= ARGV[1] then return 0 end
redis.call('SET', KEYS[1], ARGV[1] .. ARGV[2], 'PX', ARGV[3])
return 1`
const releaseScript = `
if redis.call('GET', KEYS[1]) == ARGV[1] then redis.call('DEL', KEYS[1]) end
return 0`

/** A store of idempotency keys in Redis, which several processes share. Redis deletes each key when its time is over. */
export class RedisStore implements IdempotencyStore {
  readonly #command: RedisCommand
  readonly #prefix: string

  /**
   * Makes a store.
   * @param command sends a command with the application's Redis client. The application closes the connection
   * @param options.prefix the prefix of all keys in Redis; default `idempotency:`
   */
  constructor(command: RedisCommand, options: { readonly prefix?: string } = {}) {
    assertKnownOptions('new RedisStore(…)', options, ['prefix'])
    const { prefix = 'idempotency:' } = options
    this.#command = command
    this.#prefix = prefix
  }

  async claim(claim: KeyClaim): Promise<ClaimResult> {
    const value = textOf(await this.#run(claimScript, claim, valueOf(claim), String(Math.ceil(claim.lease))))
    if (value === '') return { state: 'claimed' }
    const [fingerprint = '', owner = ''] = value.split(' ', 2)
    const text = value.slice(fingerprint.length + owner.length + 2)
    return text === '' ? { state: 'running', fingerprint } : { state: 'kept', fingerprint, reply: fromText(text) }
  }

  async complete(claim: KeyClaim, reply: KeptReply, ttl: number): Promise<boolean> {
    return Number(await this.#run(completeScript, claim, valueOf(claim), toText(reply), String(Math.ceil(ttl)))) === 1
  }

  async release(claim: KeyClaim): Promise<void> {
    await this.#run(releaseScript, claim, valueOf(claim))
  }

  #run(script: string, { key }: KeyClaim, ...args: string[]): Promise<unknown> {
    return this.#command('EVAL', script, '1', this.#prefix + key, ...args)
  }
}

function valueOf({ fingerprint, owner }: KeyClaim): string {
  return `${fingerprint} ${owner} `
}

/** Returns a reply of Redis as text, because some clients are configured to return bytes. */
function textOf(value: unknown): string {
  return Buffer.isBuffer(value) ? value.toString() : String(value)
}
