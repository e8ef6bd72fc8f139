import { Plugin } from 'alcove'
import { CurrentUser, RequireUser } from '../auth/auth.plugin.js'
import { Mailer } from '../mailer.js'
import { CONFIRMATIONS, ReportOrders, SendConfirmation } from './order.jobs.js'
import { OrdersController } from './orders.controller.js'
import { Orders } from './orders.js'

/** The plugin of orders. Its guard is a hook of the whole plugin, so it covers every route that is added here. */
@Plugin({
  requires: [CurrentUser],
  providers: [Orders, Mailer, CONFIRMATIONS],
  private: [Orders, Mailer, CONFIRMATIONS],
  hooks: { onRequest: RequireUser },
  routes: [OrdersController],
  jobs: [SendConfirmation, ReportOrders],
})
export class OrdersPlugin {}
