/** Schema libraries: what their schemas become. */
import { Type as Type034 } from '@sinclair/typebox'
import type { FromSchema, ResponseBody, RouteRequest, StandardSchema } from 'alcove'
import Type from 'typebox'
import { z } from 'zod'

type Equal<A, B> = (<T>() => T extends A ? 1 : 2) extends <T>() => T extends B ? 1 : 2 ? true : false
declare function expectTrue<T extends true>(): T

const zod = z.object({ id: z.number(), name: z.string().optional(), kind: z.enum(['a', 'b']) })
expectTrue<Equal<FromSchema<typeof zod>, { id: number; kind: 'a' | 'b'; name?: string | undefined }>>()

const old = Type034.Object({ id: Type034.Integer(), name: Type034.Optional(Type034.String()), list: Type034.Array(Type034.String()) })
expectTrue<Equal<FromSchema<typeof old>, { id: number; name?: string; list: string[] }>>()

const current = Type.Object({ id: Type.Integer(), name: Type.Optional(Type.String()), list: Type.Array(Type.String()) })
declare const value: FromSchema<typeof current>
value.id satisfies number
value.list satisfies string[]
// @ts-expect-error the name may be missing
value.name satisfies string
value.name satisfies string | undefined

declare const request: RouteRequest<{ body: typeof current; params: typeof zod }>
request.body.id satisfies number
request.params.kind satisfies 'a' | 'b'

// A handler receives the output of a schema; a reply is what its JSON Schema describes, the input.
const transforming = z.object({ at: z.string().transform((text) => new Date(text)), page: z.number().default(1) })
declare const transformed: RouteRequest<{ body: typeof transforming; querystring: typeof transforming; headers: typeof transforming }>
expectTrue<Equal<typeof transformed.body, { at: Date; page: number }>>()
expectTrue<Equal<typeof transformed.query, { at: Date; page: number }>>()
transformed.headers.at satisfies Date
expectTrue<Equal<ResponseBody<{ response: { 200: typeof transforming } }>, { at: string; page?: number | undefined }>>()

// In shorthand and by media type too.
const shorthand = { page: z.number().default(1), ids: z.string().transform((text) => text.split(',')), sort: z.string().optional() }
declare const listed: RouteRequest<{
  querystring: typeof shorthand
  body: { content: { 'application/json': { schema: typeof transforming } } }
}>
expectTrue<Equal<typeof listed.query, { page: number; ids: string[]; sort?: string | undefined }>>()
expectTrue<Equal<typeof listed.body, { at: Date; page: number }>>()

// A schema that offers nothing but its own validate.
declare const plain: StandardSchema<string, number>
declare const counted: RouteRequest<{ params: typeof plain }>
expectTrue<Equal<typeof counted.params, number>>()
