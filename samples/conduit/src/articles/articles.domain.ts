import { Plugin } from 'alcove'
import { Articles } from './articles.js'

@Plugin({ shared: true, providers: [Articles] })
export class ArticlesDomain {}
