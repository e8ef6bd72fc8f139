/** Tokens: signed and verified by @fastify/jwt, sent as `Authorization: Token …`. */
import { randomBytes } from 'node:crypto'
import jwt, { type FastifyJWTOptions } from '@fastify/jwt'
import { LOGGER, type Logger, optionsFrom, requestDecorator, SERVER, type Server, use } from 'alcove'
import { CONFIG, type Config } from '../config.js'
import type { Account } from '../users/users.js'

export interface Claims {
  /** The id of the user. */
  sub: string
}

/** The claims in the token of a request, after a guard has verified it. */
export const TokenClaims = requestDecorator('claims', null).as<Claims | null>()

export const jwtPlugin = use(jwt, optionsFrom([CONFIG, LOGGER], jwtOptions), { decorates: [TokenClaims] })

function jwtOptions({ JWT_SECRET, JWT_EXPIRES_IN }: Config, log: Logger): FastifyJWTOptions {
  if (JWT_SECRET === undefined) log.warn('JWT_SECRET is not set: tokens are signed with a secret that lasts as long as this process')
  return {
    secret: JWT_SECRET ?? randomBytes(32).toString('base64'),
    decoratorName: TokenClaims.name,
    sign: { expiresIn: JWT_EXPIRES_IN },
    verify: { extractToken: ({ headers }) => tokenIn(headers.authorization) },
  }
}

/**
 * Returns the token of an `Authorization` header. Many clients send `Bearer` instead of `Token`. `null` and `undefined` are not tokens:
 * clients send these words if a variable is not set.
 */
export function tokenIn(header: string | undefined): string | undefined {
  return /^(?:Token|Bearer) +(?!(?:null|undefined)$)(\S+)$/i.exec(header ?? '')?.[1]
}

export class Tokens {
  static readonly inject = [SERVER] as const
  constructor(private readonly server: Server) {}

  sign({ id }: Account): string {
    return this.server.jwt.sign({ sub: String(id) })
  }
}
