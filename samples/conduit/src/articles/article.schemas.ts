import { extend, Model, partial, ref } from 'alcove'
import { Profile } from '../profiles/profile.schema.js'
import { text, time } from '../schemas.js'

/** An article in a list has no body. */
export class ArticlePreview extends Model({
  $id: 'ArticlePreview',
  type: 'object',
  required: ['slug', 'title', 'description', 'tagList', 'createdAt', 'updatedAt', 'favorited', 'favoritesCount', 'author'],
  properties: {
    slug: { type: 'string' },
    title: { type: 'string' },
    description: { type: 'string' },
    tagList: { type: 'array', items: { type: 'string' } },
    createdAt: time,
    updatedAt: time,
    favorited: { type: 'boolean' },
    favoritesCount: { type: 'integer' },
    author: ref(Profile),
  },
}) {}

export class Article extends Model(
  extend(ArticlePreview, { $id: 'Article', required: ['body'], properties: { body: { type: 'string' } } }),
) {}

export class NewArticle extends Model({
  $id: 'NewArticle',
  type: 'object',
  required: ['title', 'description', 'body'],
  properties: {
    title: { ...text, maxLength: 500 },
    description: text,
    body: text,
    tagList: { type: 'array', maxItems: 100, items: { ...text, maxLength: 100 } },
  },
}) {}

export class UpdateArticle extends Model(partial(NewArticle), { $id: 'UpdateArticle' }) {}
