/** The API. The area that a controller is in decides who may call it. */
import { buildValidatorCompiler, type JsvOptions, Plugin, rule, type Server, type ValidatorCompiler } from 'alcove'
import { FavoritesController, ReadArticlesController, WriteArticlesController } from './articles/article.controllers.js'
import { ArticlesDomain } from './articles/articles.domain.js'
import { CurrentUser } from './auth/current-user.js'
import { RequireUser, WelcomeVisitors } from './auth/guards.js'
import { jwtPlugin, TokenClaims, Tokens } from './auth/tokens.js'
import { ReadCommentsController, WriteCommentsController } from './comments/comment.controllers.js'
import { CommentsDomain } from './comments/comments.domain.js'
import { UnitOfWork } from './database/unit-of-work.js'
import { RateLimit, underPressurePlugin } from './operations/protection.js'
import { FollowProfileController, ProfileController } from './profiles/profile.controllers.js'
import { ProfilesDomain } from './profiles/profiles.domain.js'
import { GetTags } from './tags/get-tags.js'
import { CurrentUserController } from './users/current-user.controller.js'
import { UsersController } from './users/users.controller.js'
import { UsersDomain } from './users/users.domain.js'

/** Open to everyone. Tokens are not read, so that a client with an expired token can log in. */
@Plugin({ routes: [UsersController, GetTags] })
export class PublicArea {}

/** Open to everyone. A client with a token also sees which authors it follows and which articles are its favorites. */
@Plugin({
  requires: [TokenClaims],
  hooks: { onRequest: WelcomeVisitors },
  routes: [ReadArticlesController, ReadCommentsController, ProfileController],
})
export class VisitorArea {}

/** Only for requests with a valid token. */
@Plugin({
  requires: [TokenClaims],
  hooks: { onRequest: RequireUser },
  routes: [CurrentUserController, FollowProfileController, WriteArticlesController, FavoritesController, WriteCommentsController],
})
export class AuthenticatedArea {}

@Plugin({
  prefix: '/api',
  schemaController: { compilersFactory: { buildValidator } },
  providers: [CurrentUser, Tokens, UnitOfWork],
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
  access: [rule.public({ exactly: [PublicArea, VisitorArea] }), rule.routes(AuthenticatedArea).run(RequireUser)],
})
export class Api {
  /** Many clients declare a JSON body and send none. */
  setup(instance: Server): void {
    const parse = instance.getDefaultJsonParser('error', 'error')
    instance.addContentTypeParser('application/json', { parseAs: 'string' }, (request, text, done) =>
      text === '' ? done(null, undefined) : parse(request, text, done),
    )
  }
}

/**
 * JSON has types, so a body is not coerced: a number is not a title. Parts that arrive as text are coerced. All faults of a request are
 * reported together.
 */
function buildValidator(schemas: Record<string, unknown>, options: JsvOptions): ValidatorCompiler {
  const customOptions = { ...options.customOptions, allErrors: true }
  const coercing = buildValidatorCompiler(schemas, { ...options, customOptions })
  const strict = buildValidatorCompiler(schemas, { ...options, customOptions: { ...customOptions, coerceTypes: false } })
  return (route) => (route.httpPart === 'body' ? strict : coercing)(route)
}
