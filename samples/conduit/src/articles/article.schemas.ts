import { ref, Schema } from 'alcove'
import { Profile } from '../profiles/profile.schema.js'
import { text, time } from '../schemas.js'

const properties = {
  slug: { type: 'string' },
  title: { type: 'string' },
  description: { type: 'string' },
  tagList: { type: 'array', items: { type: 'string' } },
  createdAt: time,
  updatedAt: time,
  favorited: { type: 'boolean' },
  favoritesCount: { type: 'integer' },
  author: ref(Profile),
} as const

const previewFields = [
  'slug',
  'title',
  'description',
  'tagList',
  'createdAt',
  'updatedAt',
  'favorited',
  'favoritesCount',
  'author',
] as const

const articlePreview = { $id: 'ArticlePreview', type: 'object', required: previewFields, properties } as const

/** An article in a list has no body. */
@Schema(articlePreview)
export class ArticlePreview {
  slug!: string
  title!: string
  description!: string
  tagList!: string[]
  createdAt!: Date
  updatedAt!: Date
  favorited!: boolean
  favoritesCount!: number
  author!: Profile
}

const article = {
  $id: 'Article',
  type: 'object',
  required: [...previewFields, 'body'],
  properties: { ...properties, body: { type: 'string' } },
} as const

@Schema(article)
export class Article extends ArticlePreview {
  body!: string
}

const title = { ...text, maxLength: 500 } as const
const tagList = { type: 'array', maxItems: 100, items: { ...text, maxLength: 100 } } as const

const newArticle = {
  $id: 'NewArticle',
  type: 'object',
  required: ['title', 'description', 'body'],
  properties: { title, description: text, body: text, tagList },
} as const

@Schema(newArticle)
export class NewArticle {
  title!: string
  description!: string
  body!: string
  tagList?: string[]
}

const updateArticle = { $id: 'UpdateArticle', type: 'object', properties: { title, description: text, body: text, tagList } } as const

@Schema(updateArticle)
export class UpdateArticle {
  title?: string
  description?: string
  body?: string
  tagList?: string[]
}
