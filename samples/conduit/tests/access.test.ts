/** Who reaches what. Nothing of the application is constructed: there is no database. */
import { test } from 'node:test'
import { access } from 'alcove'
import { PublicArea, VisitorArea } from '../src/api.js'
import { App } from '../src/app.js'
import { RequireUser, WelcomeVisitors } from '../src/auth/guards.js'
import { Passwords } from '../src/auth/passwords.js'
import { Documentation } from '../src/documentation/documentation.js'
import { Health } from '../src/operations/health.js'

test('every operation needs a user, except those of the public and the visitor area', () => {
  access(App).routes('/api/**').except(PublicArea, VisitorArea).run(RequireUser)
})

test('a visitor who sends a token is identified', () => {
  access(App).routes(VisitorArea).run(WelcomeVisitors)
})

test('the plugins for operators and readers see no passwords', () => {
  for (const plugin of [Health, Documentation]) access(App).plugin(plugin).neverSees(Passwords)
})
