import 'reflect-metadata'
import type { Server } from 'node:http'
import {
  Body,
  type CanActivate,
  Controller,
  type ExecutionContext,
  Get,
  HttpCode,
  Inject,
  Injectable,
  Module,
  Param,
  ParseIntPipe,
  Post,
  Query,
  Req,
  Scope,
  type Type,
  UnauthorizedException,
  UseGuards,
  ValidationPipe,
} from '@nestjs/common'
import { APP_GUARD, NestFactory, REQUEST } from '@nestjs/core'
import { FastifyAdapter, type NestFastifyApplication } from '@nestjs/platform-fastify'
import { Transform, Type as TypeOf } from 'class-transformer'
import {
  ArrayMaxSize,
  IsArray,
  IsBoolean,
  IsEmail,
  IsIn,
  IsInt,
  IsISO8601,
  IsNumber,
  IsOptional,
  IsString,
  IsUrl,
  IsUUID,
  Length,
  Matches,
  Max,
  MaxLength,
  Min,
  ValidateNested,
} from 'class-validator'
import type { FastifyRequest } from 'fastify'
import { authenticate, bootSuffix, createUser, findOrder, listPeople, Plans, routeCount, routePath, Trace } from '../data.mjs'

@Controller()
class HelloController {
  @Get()
  hello() {
    return { hello: 'world' }
  }
}

@Module({ controllers: [HelloController] })
class HelloModule {}

const toBoolean = ({ value }: { value: unknown }) => (value === 'true' ? true : value === 'false' ? false : value)

class OrderQuery {
  @TypeOf(() => Number)
  @IsInt()
  @Min(1)
  page!: number

  @IsOptional()
  @TypeOf(() => Number)
  @IsInt()
  @Min(1)
  @Max(100)
  limit = 20

  @IsOptional()
  @Transform(toBoolean)
  @IsBoolean()
  active?: boolean

  @IsOptional()
  @IsIn(['name', 'price', 'date'])
  sort?: string

  @IsOptional()
  @TypeOf(() => Number)
  @IsNumber()
  @Min(0)
  minPrice?: number
}

@Controller('orders')
class OrdersController {
  @Get(':id')
  find(@Param('id', ParseIntPipe) id: number, @Query() query: OrderQuery) {
    return findOrder(id, query)
  }
}

@Module({ controllers: [OrdersController] })
class QueryModule {}

class Address {
  @IsString()
  @Length(1, 100)
  street!: string

  @IsString()
  @Length(1, 100)
  city!: string

  @Matches(/^[0-9]{4,6}$/)
  zip!: string

  @IsString()
  @Length(2, 2)
  country!: string
}

class User {
  @IsUUID()
  id!: string

  @IsString()
  @Length(1, 100)
  name!: string

  @IsEmail()
  email!: string

  @IsUrl()
  website!: string

  @IsISO8601()
  birthday!: string

  @IsISO8601()
  registeredAt!: string

  @IsInt()
  @Min(0)
  @Max(150)
  age!: number

  @IsIn(['admin', 'editor', 'reader'])
  role!: string

  @IsArray()
  @ArrayMaxSize(20)
  @IsString({ each: true })
  @Length(1, 30, { each: true })
  tags!: string[]

  @ValidateNested()
  @TypeOf(() => Address)
  address!: Address

  @IsString()
  @MaxLength(2000)
  bio!: string
}

@Controller('users')
class UsersController {
  @Post()
  create(@Body() user: User) {
    return createUser(user)
  }
}

@Module({ controllers: [UsersController] })
class BodyModule {}

@Controller('people')
class PeopleController {
  @Get()
  list() {
    return listPeople()
  }
}

@Module({ controllers: [PeopleController] })
class ListModule {}

interface AccountRequest {
  headers: Record<string, string | undefined>
  tenant?: string | undefined
  locale?: string | undefined
  user?: string
}

const requestOf = (context: ExecutionContext) => context.switchToHttp().getRequest<AccountRequest>()

// Modules of NestJS bring no hooks for what is below them: guards of the application, the controller and the method do.
@Injectable()
class TenantGuard implements CanActivate {
  async canActivate(context: ExecutionContext) {
    const request = requestOf(context)
    request.tenant = request.headers['x-tenant']
    return true
  }
}

@Injectable()
class LocaleGuard implements CanActivate {
  async canActivate(context: ExecutionContext) {
    const request = requestOf(context)
    request.locale = request.headers['accept-language']
    return true
  }
}

@Injectable()
class TokenGuard implements CanActivate {
  async canActivate(context: ExecutionContext) {
    const request = requestOf(context)
    const found = authenticate(request.headers['authorization'])
    if (found === undefined) throw new UnauthorizedException('No valid token')
    request.user = found
    return true
  }
}

@UseGuards(LocaleGuard)
@Controller('api/v1/account')
class AccountController {
  constructor(private readonly plans: Plans) {}

  @UseGuards(TokenGuard)
  @Get()
  find(@Req() { tenant, locale, user }: AccountRequest) {
    return { tenant, locale, user, plan: this.plans.planOf(user) }
  }
}

@Module({ controllers: [AccountController], providers: [Plans] })
class AccountModule {}

@Module({ imports: [AccountModule], providers: [{ provide: APP_GUARD, useClass: TenantGuard }] })
class ContextsModule {}

@Injectable({ scope: Scope.REQUEST })
class RequestTrace extends Trace {
  constructor(@Inject(REQUEST) request: FastifyRequest) {
    super(request.url, request.headers['x-caller'])
  }
}

@Controller('trace')
class TraceController {
  constructor(private readonly trace: RequestTrace) {}

  @Get()
  find() {
    return { url: this.trace.url, caller: this.trace.caller }
  }
}

@Module({ controllers: [TraceController], providers: [RequestTrace] })
class ScopeModule {}

function makeModule(controllers: Type[]): Type {
  @Module({ controllers })
  class MadeModule {}
  return MadeModule
}

function routesModule(): Type {
  return makeModule(
    Array.from({ length: routeCount }, (_, route) => {
      @Controller(routePath(route))
      class ResourceController {
        @Get(':id')
        find(@Param('id', ParseIntPipe) id: number) {
          return { route, id }
        }
      }
      return ResourceController
    }),
  )
}

const workloads: Record<string, () => Type> = {
  hello: () => HelloModule,
  query: () => QueryModule,
  body: () => BodyModule,
  list: () => ListModule,
  contexts: () => ContextsModule,
  scope: () => ScopeModule,
  routes: routesModule,
}

/** A class whose properties have these decorators. */
function makeDto(properties: Record<string, PropertyDecorator[]>): Type {
  class Dto {}
  for (const [name, decorators] of Object.entries(properties)) for (const decorate of decorators) decorate(Dto.prototype, name)
  return Dto
}

function makeDtos(suffix: string): Type[] {
  const named = (properties: Record<string, PropertyDecorator[]>) =>
    Object.fromEntries(Object.entries(properties).map(([name, decorators]) => [name + suffix, decorators]))
  const query = named({ page: [IsOptional(), TypeOf(() => Number), IsInt(), Min(1)], sort: [IsOptional(), IsString()] })
  const body = named({
    id: [IsUUID()],
    name: [IsString(), Length(1, 100)],
    email: [IsEmail()],
    registeredAt: [IsISO8601()],
    birthday: [IsISO8601()],
    age: [IsInt(), Min(0), Max(150)],
    score: [IsNumber()],
    isActive: [IsBoolean()],
    role: [IsIn(['admin', 'editor', 'reader'])],
    tags: [IsArray(), IsString({ each: true })],
  })
  return [makeDto({ key: [TypeOf(() => Number), IsInt()] }), makeDto(query), makeDto(body)]
}

function bootModule(count: number, kind: string): Type {
  const shared = makeDtos('')
  return makeModule(
    Array.from({ length: count }, (_, index) => {
      @Controller(`boot${index}`)
      class BootController {
        @Post(':key')
        @HttpCode(200)
        create(@Param() _params: object, @Query() _query: object, @Body() body: object) {
          return body
        }
      }
      const types = kind === 'distinct' ? makeDtos(bootSuffix(kind, index)) : shared
      // Classes that are made in a loop cannot be written as the types of parameters.
      Reflect.defineMetadata('design:paramtypes', types, BootController.prototype, 'create')
      return BootController
    }),
  )
}

async function listen(AppModule: Type): Promise<Server> {
  const app = await NestFactory.create<NestFastifyApplication>(AppModule, new FastifyAdapter(), { logger: false })
  app.useGlobalPipes(new ValidationPipe({ transform: true, whitelist: true }))
  await app.listen(0, '127.0.0.1')
  return app.getHttpServer()
}

export function serve(workload: string): Promise<Server> {
  return listen(workloads[workload]!())
}

export function boot(count: number, kind: string): Promise<Server> {
  return listen(bootModule(count, kind))
}
