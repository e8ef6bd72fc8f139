import cors from '@fastify/cors'
import { Plugin, use } from 'alcove'
import { ShopPlugin } from './shop.js'

const allowedOrigins = use(cors, {
  origin: ['https://shop.example'],
  methods: ['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE'],
})

@Plugin({ imports: [allowedOrigins, ShopPlugin] })
export class App {}
