/** Classes with shared schemas: their fields come from the schema, or agree with it. */
import {
  arrayOf,
  type Class,
  Controller,
  extend,
  type FieldsOf,
  type FromSchema,
  Get,
  Model,
  omit,
  partial,
  pick,
  Post,
  ref,
  type Reply,
  type RouteRequest,
  type RouteResult,
  Schema,
  type TestServer,
} from 'alcove'
import { Type as Type034 } from '@sinclair/typebox'
import Type from 'typebox'
import { z } from 'zod'

type Equal<A, B> = (<T>() => T extends A ? 1 : 2) extends <T>() => T extends B ? 1 : 2 ? true : false
declare function expectTrue<T extends true>(): T

@Schema({
  $id: 'Fits',
  type: 'object',
  required: ['id', 'bio', 'at', 'tags'],
  properties: {
    id: { type: 'integer' },
    bio: { type: 'string', nullable: true },
    at: { type: 'string', format: 'date-time' },
    tags: { type: 'array', items: { type: 'string' } },
    kind: { enum: ['a', 'b'] },
    page: { type: 'integer', default: 1 },
    parent: { $ref: '#' },
    children: { type: 'array', items: { $ref: '#' } },
  },
})
export class Fits {
  id!: number
  bio!: string | null
  at!: Date
  tags!: readonly string[]
  kind?: 'a' | 'b'
  page!: number
  parent?: Fits
  children?: Fits[]
  /** Any schema without additionalProperties: false allows it. */
  other?: string
  method() {
    return this.id
  }
}
@Schema({ $id: 'Holder', type: 'object', required: ['one'], properties: { one: ref(Fits), all: { type: 'array', items: ref(Fits) } } })
export class Holder {
  one!: Fits
  all?: Fits[]
}
@Schema({ $id: 'Empty', type: 'object', properties: { a: { type: 'string' } } })
export class Empty {}
@Schema({ $id: 'Open', type: 'object' })
export class Open {
  anything!: string
}

const user = { $id: 'User', type: 'object', required: ['id'], properties: { id: { type: 'integer' }, name: { type: 'string' } } } as const
@Schema(user)
export class User {
  id!: number
  name?: string
}
// @ts-expect-error the type of id differs
@Schema(user)
export class OtherType {
  id!: string
  name?: string
}
// @ts-expect-error the name may be missing
@Schema(user)
export class Required {
  id!: number
  name!: string
}
// @ts-expect-error the id is never missing
@Schema(user)
export class Optional {
  id?: number
  name?: string
}
// @ts-expect-error the class has no name
@Schema(user)
export class Less {
  id!: number
}
// @ts-expect-error the schema has no secret
@Schema(user)
export class More {
  id!: number
  name?: string
  secret!: string
}
// @ts-expect-error the schema allows more kinds
@Schema({ $id: 'Kinds', type: 'object', required: ['kind'], properties: { kind: { enum: ['a', 'b'] } } })
export class Narrow {
  kind!: 'a'
}
// @ts-expect-error other fields inside
@Schema({
  $id: 'Deep',
  type: 'object',
  required: ['at'],
  properties: { at: { type: 'object', required: ['x'], properties: { x: { type: 'number' } } } },
})
export class Deep {
  at!: { x: string }
}

// A class that extends Model has its fields from the schema.
class Tag extends Model({ $id: 'Tag', type: 'object', required: ['label'], properties: { label: { type: 'string' } } }) {}
class Article extends Model({
  $id: 'Article',
  type: 'object',
  required: ['id', 'at', 'tags'],
  properties: {
    id: { type: 'integer' },
    at: { type: 'string', format: 'date-time' },
    state: { enum: ['draft', 'public'] },
    page: { type: 'integer', default: 1 },
    tags: { type: 'array', items: ref(Tag) },
  },
}) {
  #cache = 0
  get first() {
    return this.tags[this.#cache]?.label
  }
  rename(label: string) {
    this.tags = [{ label }]
  }
}
interface ArticleFields {
  id: number
  at: string
  state?: 'draft' | 'public'
  page: number
  tags: Tag[]
}
const article = new Article({ id: 1, at: '', page: 1, tags: [{ label: 'a' }] })
expectTrue<Equal<typeof article.state, 'draft' | 'public' | undefined>>()
expectTrue<Equal<typeof article.tags, Tag[]>>()
// @ts-expect-error the label is required
new Tag({})
// @ts-expect-error the schema says string
new Tag({ label: 1 })
// @ts-expect-error the schema has no name
article.name

// The type of a reference is the class, or that of its fields if it has more than these: bodies are plain objects.
const tag = ref(Tag)
expectTrue<Equal<FromSchema<typeof tag>, Tag>>()
const post = { body: ref(Article), response: { 200: ref(Article) } }
declare const posted: RouteRequest<typeof post>
const fields: ArticleFields = posted.body
const body: typeof posted.body = fields
// @ts-expect-error a body has no methods
body.rename('x')
// @ts-expect-error nor accessors
void body.first
const optionalAlternative = { anyOf: [tag, { type: 'null' }] } as const
expectTrue<Equal<FromSchema<typeof optionalAlternative>, Tag | null>>()
// The same for a class that lists its fields.
const listed = ref(Fits)
expectTrue<Equal<FromSchema<typeof listed>, FieldsOf<Fits, string>>>()

// A `Date` of a class that lists its fields is a text in requests, whichever way the class is named. A reply may have either.
const event = {
  body: ref(Fits),
  querystring: pick(Fits, 'at'),
  response: { 200: ref(Fits), 201: pick(Fits, 'at'), 202: ref((): Class<Fits> => Fits), 203: arrayOf(Fits) },
}
declare const received: RouteRequest<typeof event>
received.body.at satisfies string
received.body.children?.[0]?.at satisfies string | undefined
received.query.at satisfies string
declare const later: RouteRequest<{ body: (typeof event)['response'][202] }>
later.body.at satisfies string
// @ts-expect-error a text has no year
received.body.at.getFullYear()
declare const eventReply: Reply<typeof event>
declare const fits: Fits
eventReply.send(fits)
eventReply.send(received.body)
eventReply.code(201).send({ at: fits.at })
eventReply.code(201).send(received.query)
eventReply.code(202).send(fits)
eventReply.code(202).send(later.body)
eventReply.code(203).send([fits, received.body])
// @ts-expect-error a number is not a date
eventReply.code(201).send({ at: 1 })
@Controller('/events')
class Events {
  @Post('/', event)
  add({ body }: RouteRequest<typeof event>) {
    return body
  }
}
declare const app: TestServer
app.call(Events, 'add', { body: fits, query: { at: fits.at } })
app.call(Events, 'add', { body: received.body, query: { at: '2026-01-01T00:00:00Z' } })

@Controller()
export class Articles {
  @Get('/plain', post)
  plain() {
    return { id: 1, at: new Date(), page: 1, tags: [{ label: 'x' }] as const, more: true }
  }
  @Get('/instance', post)
  instance() {
    return article
  }
  @Post('/less')
  // @ts-expect-error the tags are required
  @Schema(post)
  less() {
    return { id: 1, at: '', page: 1 }
  }
  @Post('/other')
  // @ts-expect-error a label is a string
  @Schema(post)
  other() {
    return { id: 1, at: '', page: 1, tags: [{ label: 1 }] }
  }
}

// References to the class itself, and to classes that are declared later.
class Comment extends Model({
  $id: 'Comment',
  type: 'object',
  required: ['text', 'replies', 'author'],
  properties: {
    text: { type: 'string' },
    replies: { type: 'array', items: ref((): Class<Comment> => Comment) },
    parent: ref((): Class<Comment> => Comment),
    author: ref((): Class<Author> => Author),
    tag: ref(() => LaterTag),
  },
}) {
  count(): number {
    return this.replies.length
  }
}
class Author extends Model({
  $id: 'Author',
  type: 'object',
  required: ['name', 'comments'],
  properties: { name: { type: 'string' }, comments: { type: 'array', items: ref((): Class<Comment> => Comment) } },
}) {}
class LaterTag extends Model({ $id: 'LaterTag', type: 'object', properties: { label: { type: 'string' } } }) {}
declare const comment: Comment
expectTrue<Equal<typeof comment.replies, Comment[]>>()
const deep = comment.parent?.author.comments[0]?.parent?.text
expectTrue<Equal<typeof deep, string | undefined>>()
expectTrue<Equal<NonNullable<typeof comment.tag>['label'], string | undefined>>()
const answered = { body: ref(Comment), response: { 200: ref((): Class<Comment> => Comment) } }
declare const answering: RouteRequest<typeof answered>
const inner: string | undefined = answering.body.parent?.replies[0]?.parent?.text
// @ts-expect-error a body has no methods at any level
answering.body.replies[0]?.parent?.count()
declare const answer: RouteResult<typeof answered>
// @ts-expect-error and neither has what is sent
answer.replies[0]?.count()
void inner
// @ts-expect-error the function returns another class
ref((): Class<Comment> => Author)

// Composition
class NewArticle extends Model(omit(Article, 'id'), { $id: 'NewArticle' }) {}
expectTrue<Equal<NewArticle['tags'], Tag[]>>()
expectTrue<Equal<keyof NewArticle, 'at' | 'state' | 'page' | 'tags'>>()
class Ranked extends Model(
  extend(pick(Article, 'id', 'state'), { $id: 'Ranked', required: ['state'], properties: { rank: { type: 'integer' } } }),
) {}
declare const ranked: Ranked
expectTrue<Equal<{ [K in keyof Ranked]: Ranked[K] }, { id: number; state: 'draft' | 'public'; rank?: number }>>()
const changed = partial(omit(Article, 'tags'))
// A default is filled in, so the property is there.
expectTrue<Equal<FromSchema<typeof changed>, { page: number; id?: number; at?: string; state?: 'draft' | 'public' }>>()
const several = { response: { 200: arrayOf(Tag), 201: arrayOf(pick(Tag, 'label')) } }
expectTrue<Equal<FromSchema<(typeof several)['response'][200]>, Tag[]>>()
expectTrue<Equal<FromSchema<(typeof several)['response'][201]>, { label: string }[]>>()
const ofListed = pick(User, 'id', 'name')
expectTrue<Equal<FromSchema<typeof ofListed>, { id: number; name?: string }>>()
const dated = { response: { 200: arrayOf(pick(Article, 'at')) } }
declare const sendable: RouteResult<typeof dated>
const dates: typeof sendable = [{ at: new Date() }]
void [dates, ranked]

// Libraries
class OfZod extends Model(z.object({ id: z.number(), name: z.string().optional() }), { $id: 'OfZod' }) {}
class OfTypebox extends Model(Type.Object({ id: Type.Number(), name: Type.Optional(Type.String()) }, { $id: 'OfTypebox' })) {}
class OfTypebox034 extends Model(Type034.Object({ id: Type034.Number(), name: Type034.Optional(Type034.String()) }, { $id: 'Of034' })) {}
const names = [new OfZod({ id: 1 }).name, new OfTypebox({ id: 1 }).name, new OfTypebox034({ id: 1 }).name]
expectTrue<Equal<typeof names, (string | undefined)[]>>()
const pickedOfZod = pick(OfZod, 'name')
expectTrue<Equal<FromSchema<typeof pickedOfZod>, { name?: string }>>()

// Wrong use
// @ts-expect-error there is no $id
Model({ type: 'object', properties: {} })
// @ts-expect-error a model is an object
Model({ $id: 'Text', type: 'string' })
// @ts-expect-error a model is an object
Model(z.string(), { $id: 'Text' })
// @ts-expect-error a misspelt option
Model({ type: 'object', properties: {} }, { $id: 'A', desciption: '' })
// @ts-expect-error a misspelt property
pick(Article, 'titel')
// @ts-expect-error the property is there already
extend(Tag, { properties: { label: { type: 'integer' } } })
// @ts-expect-error a list has no properties
partial({ type: 'array', items: {} })
