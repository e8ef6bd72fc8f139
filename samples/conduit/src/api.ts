/** The API: who may do what is where a controller stands. */
import { buildValidatorCompiler, type JsvOptions, Plugin, type Server, type ValidatorCompiler } from 'alcove'
import { FavoritesController, ReadArticlesController, WriteArticlesController } from './articles/article.controllers.js'
import { ArticlesDomain } from './articles/articles.domain.js'
import { CurrentUser } from './auth/current-user.js'
import { RequireUser, WelcomeVisitors } from './auth/guards.js'
import { jwtPlugin, TokenClaims, Tokens } from './auth/tokens.js'
import { ReadCommentsController, WriteCommentsController } from './comments/comment.controllers.js'
import { CommentsDomain } from './comments/comments.domain.js'
import { GenericErrorModel } from './error.schema.js'
import { RateLimit, underPressurePlugin } from './operations/protection.js'
import { FollowProfileController, ProfileController } from './profiles/profile.controllers.js'
import { ProfilesDomain } from './profiles/profiles.domain.js'
import { GetTags } from './tags/get-tags.js'
import { CurrentUserController } from './users/current-user.controller.js'
import { UsersController } from './users/users.controller.js'
import { UsersDomain } from './users/users.domain.js'

/** Everybody. A token is not looked at: with a stale one, too, one can log in. */
@Plugin({ routes: [UsersController, GetTags] })
export class PublicArea {}

/** Everybody; who brings a token sees whom they follow and what they like. */
@Plugin({
  requires: [TokenClaims],
  hooks: { onRequest: WelcomeVisitors },
  routes: [ReadArticlesController, ReadCommentsController, ProfileController],
})
export class VisitorArea {}

/** Those who bring a valid token. */
@Plugin({
  requires: [TokenClaims],
  hooks: { onRequest: RequireUser },
  routes: [CurrentUserController, FollowProfileController, WriteArticlesController, FavoritesController, WriteCommentsController],
})
export class AuthenticatedArea {}

@Plugin({
  prefix: '/api',
  schemas: [GenericErrorModel],
  schemaController: { compilersFactory: { buildValidator } },
  providers: [CurrentUser, Tokens],
  imports: [
    underPressurePlugin,
    RateLimit,
    jwtPlugin,
    UsersDomain,
    ProfilesDomain,
    ArticlesDomain,
    CommentsDomain,
    PublicArea,
    VisitorArea,
    AuthenticatedArea,
  ],
})
export class Api {
  /** Many clients say that their body is JSON, and send none. */
  setup(instance: Server): void {
    const parse = instance.getDefaultJsonParser('error', 'error')
    instance.addContentTypeParser('application/json', { parseAs: 'string' }, (request, text, done) =>
      text === '' ? done(null, undefined) : parse(request, text, done),
    )
  }
}

/** JSON has types: a number is no title. Parts that come as text are coerced. All that is wrong with a request is said at once. */
function buildValidator(schemas: Record<string, unknown>, options: JsvOptions): ValidatorCompiler {
  const customOptions = { ...options.customOptions, allErrors: true }
  const coercing = buildValidatorCompiler(schemas, { ...options, customOptions })
  const strict = buildValidatorCompiler(schemas, { ...options, customOptions: { ...customOptions, coerceTypes: false } })
  return (route) => (route.httpPart === 'body' ? strict : coercing)(route)
}
