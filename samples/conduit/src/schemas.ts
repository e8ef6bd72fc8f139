/** Keywords that several schemas share. */

/** Text with at least one character that is not white space. */
export const text = { type: 'string', minLength: 1, pattern: '\\S' } as const
export const nullableText = { type: ['string', 'null'] } as const
export const time = { type: 'string', format: 'date-time' } as const

/** The maximum length of values in a unique index. */
export const name = { ...text, maxLength: 100 } as const
export const email = { ...text, maxLength: 254 } as const
/** Passwords have a maximum length, because hashing takes memory and time. */
export const password = { ...text, maxLength: 1024 } as const

export const slugParams = { type: 'object', required: ['slug'], properties: { slug: { type: 'string' } } } as const
export const usernameParams = { type: 'object', required: ['username'], properties: { username: { type: 'string' } } } as const

export const page = {
  limit: { type: 'integer', minimum: 1, maximum: 2_147_483_647, default: 20 },
  offset: { type: 'integer', minimum: 0, maximum: 2_147_483_647, default: 0 },
} as const
