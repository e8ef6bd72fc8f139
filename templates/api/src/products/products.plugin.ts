import { Plugin } from 'alcove'
import { CurrentUser } from '../auth/auth.plugin.js'
import { ProductsController, SellerController } from './products.controller.js'
import { Products } from './products.js'

@Plugin({
  requires: [CurrentUser],
  providers: [Products],
  private: [Products],
  routes: [ProductsController, SellerController],
})
export class ProductsPlugin {}
