/** The fields of a class with a shared schema agree with it. */
import { ref, Schema } from 'alcove'

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
