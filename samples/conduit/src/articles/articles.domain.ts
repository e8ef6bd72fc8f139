import { Plugin } from 'alcove'
import { Article, ArticlePreview, NewArticle, UpdateArticle } from './article.schemas.js'
import { Articles } from './articles.js'

@Plugin({ shared: true, schemas: [Article, ArticlePreview, NewArticle, UpdateArticle], providers: [Articles] })
export class ArticlesDomain {}
