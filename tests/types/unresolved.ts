/** An import that is not found is reported once, where it stands: what names it has no second error. */
import { Controller, Get, Plugin, requestDecorator, type RouteRequest, shared, use } from 'alcove'
// @ts-expect-error there is no such module
import { Missing } from './no-such-module.js'

declare const unknownClass: any
const User = requestDecorator('user', '')

@Controller()
class ReadsUser {
  @Get()
  all(_request: RouteRequest<unknown, [typeof User]>) {}
}

@Plugin({ routes: [Missing] })
export class InRoutes {}
@Plugin({ imports: [Missing, InRoutes, shared(Missing), use(Missing), use(Missing, {})] })
export class InImports {}
@Plugin({ providers: [Missing, { provide: Missing, useClass: InRoutes }, { provide: InRoutes, useClass: Missing }] })
export class InProviders {}
@Plugin({ hooks: { onRequest: Missing, preHandler: [Missing] }, errorHandler: Missing, notFoundHandler: Missing })
export class InHooks {}
@Plugin({ imports: [Missing], routes: [Missing], decorateRequest: [User], requires: [User] })
export class Several {}
@Plugin({ imports: [unknownClass], routes: [unknownClass], providers: [unknownClass] })
export class OfTypeAny {}

// The plugin that is not found may add the decorator.
@Plugin({ imports: [Missing], routes: [ReadsUser] })
export class MayAdd {}
// @ts-expect-error a route reads a request decorator that this plugin neither adds nor requires
@Plugin({ imports: [InRoutes], routes: [ReadsUser] })
export class DoesNotAdd {}
