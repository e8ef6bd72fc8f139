/**
 * Conduit on NestJS with its Fastify adapter, as its documentation teaches: modules, guards, a global ValidationPipe with class-validator,
 * @nestjs/jwt, an exception filter.
 */
import 'reflect-metadata'
import type { Server } from 'node:http'
import rateLimit from '@fastify/rate-limit'
import underPressure from '@fastify/under-pressure'
import {
  type ArgumentsHost,
  Body,
  type CanActivate,
  Catch,
  Controller,
  createParamDecorator,
  type DynamicModule,
  type ExceptionFilter,
  type ExecutionContext,
  Get,
  HttpCode,
  HttpException,
  Inject,
  Injectable,
  Module,
  Param,
  Post,
  Query,
  UnprocessableEntityException,
  UseGuards,
  ValidationPipe,
} from '@nestjs/common'
import { NestFactory } from '@nestjs/core'
import { JwtModule, JwtService } from '@nestjs/jwt'
import { FastifyAdapter, type NestFastifyApplication } from '@nestjs/platform-fastify'
import { Type } from 'class-transformer'
import { IsInt, IsOptional, IsString, Matches, Max, MaxLength, Min, MinLength, ValidateNested, type ValidationError } from 'class-validator'
import { type Account, EXPIRES_IN, type Layer, protection, serverOptions, tokenIn } from './layer.js'

const LAYER = Symbol('LAYER')

const MAX_INTEGER = 2_147_483_647

class PageQuery {
  @IsOptional()
  @Type(() => Number)
  @IsInt()
  @Min(1)
  @Max(MAX_INTEGER)
  limit = 20

  @IsOptional()
  @Type(() => Number)
  @IsInt()
  @Min(0)
  @Max(MAX_INTEGER)
  offset = 0
}

class ArticlesQuery extends PageQuery {
  @IsOptional()
  @IsString()
  tag?: string

  @IsOptional()
  @IsString()
  author?: string

  @IsOptional()
  @IsString()
  favorited?: string
}

class LoginUser {
  @IsString()
  @MinLength(1)
  @MaxLength(254)
  @Matches(/\S/)
  email!: string

  @IsString()
  @MinLength(1)
  @MaxLength(1024)
  @Matches(/\S/)
  password!: string
}

class LoginBody {
  @ValidateNested()
  @Type(() => LoginUser)
  user!: LoginUser
}

class NewComment {
  @IsString()
  @MinLength(1)
  @Matches(/\S/)
  body!: string
}

class CommentBody {
  @ValidateNested()
  @Type(() => NewComment)
  comment!: NewComment
}

interface ApiRequest {
  headers: Record<string, string | undefined>
  account?: Account
}

@Injectable()
class Identification {
  constructor(
    @Inject(LAYER) private readonly layer: Layer,
    private readonly jwt: JwtService,
  ) {}

  async identify(request: ApiRequest, token: string): Promise<void> {
    const { ApiError, users } = this.layer
    let claims: { sub: string }
    try {
      claims = await this.jwt.verifyAsync(token)
    } catch {
      throw new ApiError(401, { token: 'is invalid' })
    }
    const account = await users.findById(Number(claims.sub))
    if (account === undefined) throw new ApiError(401, { token: 'is invalid' })
    request.account = account
  }
}

@Injectable()
class WelcomeVisitors implements CanActivate {
  constructor(private readonly identification: Identification) {}

  async canActivate(context: ExecutionContext): Promise<boolean> {
    const request = context.switchToHttp().getRequest<ApiRequest>()
    const token = tokenIn(request.headers['authorization'])
    if (token !== undefined) await this.identification.identify(request, token)
    return true
  }
}

@Injectable()
class RequireUser implements CanActivate {
  constructor(
    @Inject(LAYER) private readonly layer: Layer,
    private readonly identification: Identification,
  ) {}

  async canActivate(context: ExecutionContext): Promise<boolean> {
    const request = context.switchToHttp().getRequest<ApiRequest>()
    const token = tokenIn(request.headers['authorization'])
    if (token === undefined) throw new this.layer.ApiError(401, { token: 'is missing' })
    await this.identification.identify(request, token)
    return true
  }
}

const CurrentAccount = createParamDecorator(
  (_data: unknown, context: ExecutionContext) => context.switchToHttp().getRequest<ApiRequest>().account,
)

@Controller()
class PublicController {
  constructor(
    @Inject(LAYER) private readonly layer: Layer,
    private readonly jwt: JwtService,
  ) {}

  @Post('users/login')
  @HttpCode(200)
  async login(@Body() { user }: LoginBody) {
    const { ApiError, presentUser, users } = this.layer
    const account = await users.findByCredentials(user)
    if (account === undefined) throw new ApiError(401, { credentials: 'invalid' })
    return { user: presentUser(account, this.jwt.sign({ sub: String(account.id) })) }
  }

  @Get('tags')
  async tags() {
    return { tags: await this.layer.tags() }
  }
}

@UseGuards(RequireUser)
@Controller()
class AuthenticatedController {
  constructor(
    @Inject(LAYER) private readonly layer: Layer,
    private readonly jwt: JwtService,
  ) {}

  @Get('user')
  currentUser(@CurrentAccount() account: Account) {
    return { user: this.layer.presentUser(account, this.jwt.sign({ sub: String(account.id) })) }
  }

  @Get('articles/feed')
  feed(@Query() query: PageQuery, @CurrentAccount() { id }: Account) {
    return this.layer.articles.feed(query, id)
  }

  @Post('articles/:slug/favorite')
  @HttpCode(200)
  async favorite(@Param('slug') slug: string, @CurrentAccount() { id }: Account) {
    return { article: await this.layer.articles.favorite(slug, id) }
  }

  @Post('articles/:slug/comments')
  @HttpCode(200)
  async comment(@Param('slug') slug: string, @Body() { comment }: CommentBody, @CurrentAccount() { id }: Account) {
    return { comment: await this.layer.comments.create(slug, comment, id) }
  }
}

@UseGuards(WelcomeVisitors)
@Controller()
class VisitorController {
  constructor(@Inject(LAYER) private readonly layer: Layer) {}

  @Get('articles')
  articles(@Query() query: ArticlesQuery, @CurrentAccount() account: Account | undefined) {
    return this.layer.articles.list(query, query, account?.id)
  }

  @Get('articles/:slug')
  async article(@Param('slug') slug: string, @CurrentAccount() account: Account | undefined) {
    return { article: await this.layer.articles.find(slug, account?.id) }
  }

  @Get('articles/:slug/comments')
  async comments(@Param('slug') slug: string, @CurrentAccount() account: Account | undefined) {
    return { comments: await this.layer.comments.list(slug, account?.id) }
  }

  @Get('profiles/:username')
  async profile(@Param('username') username: string, @CurrentAccount() account: Account | undefined) {
    return { profile: await this.layer.profiles.find(username, account?.id) }
  }
}

/** All failures in the format of the specification. */
@Catch()
class AnswerError implements ExceptionFilter {
  constructor(private readonly layer: Layer) {}

  catch(error: unknown, host: ArgumentsHost): void {
    const http = host.switchToHttp()
    const reply = http.getResponse()
    if (error instanceof HttpException && !('errors' in error)) {
      const answer = error.getResponse() as { errors?: object }
      const status = error.getStatus() === 400 ? 422 : error.getStatus()
      reply.code(status).send({ errors: answer.errors ?? { [status === 404 ? 'route' : 'body']: [error.message] } })
    } else this.layer.answerError.call(undefined, error, http.getRequest(), reply)
  }
}

function describe(errors: ValidationError[]): Record<string, string[]> {
  return Object.assign(
    {},
    ...errors.map(({ property, constraints, children = [] }) =>
      children.length > 0 ? describe(children) : { [property]: Object.values(constraints ?? {}) },
    ),
  ) as Record<string, string[]>
}

@Module({})
class ApiModule {
  static with(layer: Layer): DynamicModule {
    return {
      module: ApiModule,
      imports: [JwtModule.register({ secret: layer.secret, signOptions: { expiresIn: EXPIRES_IN } })],
      // The feed is declared before the route that would take its name for a slug.
      controllers: [PublicController, AuthenticatedController, VisitorController],
      providers: [{ provide: LAYER, useValue: layer }, Identification, WelcomeVisitors, RequireUser],
    }
  }
}

export async function start(layer: Layer): Promise<Server> {
  const adapter = new FastifyAdapter(serverOptions)
  const app = await NestFactory.create<NestFastifyApplication>(ApiModule.with(layer), adapter, { logger: false })
  app.setGlobalPrefix('api')
  app.useGlobalPipes(
    new ValidationPipe({
      transform: true,
      whitelist: true,
      exceptionFactory: (errors) => new UnprocessableEntityException({ errors: describe(errors) }),
    }),
  )
  app.useGlobalFilters(new AnswerError(layer))
  await app.register(underPressure, protection.underPressure)
  await app.register(rateLimit, protection.rateLimit)
  const fastify = adapter.getInstance()
  fastify.addHook('onRequest', (request, reply, done) => {
    reply.header('x-request-id', request.id)
    done()
  })
  await app.listen(0, '127.0.0.1')
  return app.getHttpServer()
}
