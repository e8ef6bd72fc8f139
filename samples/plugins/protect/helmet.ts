import helmet from '@fastify/helmet'
import { Plugin, use } from 'alcove'
import { ShopPlugin } from './shop.js'

@Plugin({ imports: [use(helmet), ShopPlugin] })
export class App {}
