/** A NestJS application with what such applications use: guards, pipes, filters, interceptors, middleware, events, views and files. */
import 'reflect-metadata'
import { Readable } from 'node:stream'
import {
  type ArgumentsHost,
  BadRequestException,
  Body,
  type CallHandler,
  type CanActivate,
  Catch,
  Controller,
  Delete,
  type ExceptionFilter,
  type ExecutionContext,
  ForbiddenException,
  Get,
  Head,
  Header,
  Headers,
  HostParam,
  HttpCode,
  Injectable,
  type MiddlewareConsumer,
  Module,
  type NestInterceptor,
  type NestModule,
  NotFoundException,
  type OnApplicationShutdown,
  Options,
  Param,
  ParseIntPipe,
  Patch,
  Post,
  Put,
  Query,
  Redirect,
  Render,
  Req,
  Res,
  Scope,
  Search,
  Sse,
  StreamableFile,
  UseFilters,
  UseGuards,
  UseInterceptors,
  ValidationPipe,
  VERSION_NEUTRAL,
  VersioningType,
} from '@nestjs/common'
import { NestFactory } from '@nestjs/core'
import type { FastifyAdapter, NestFastifyApplication } from '@nestjs/platform-fastify'
import { IsInt, IsString, Min } from 'class-validator'
import handlebars from 'handlebars'
import { from, map, type Observable } from 'rxjs'

class CreateCat {
  @IsString()
  name!: string

  @IsInt()
  @Min(0)
  age!: number
}

class CatLost extends Error {}

@Catch(CatLost)
class CatLostFilter implements ExceptionFilter {
  catch(error: CatLost, host: ArgumentsHost): void {
    host.switchToHttp().getResponse().status(410).header('x-filter', 'cat').send({ lost: error.message })
  }
}

@Injectable()
class TokenGuard implements CanActivate {
  canActivate(context: ExecutionContext): boolean {
    const { headers } = context.switchToHttp().getRequest()
    if (headers.authorization === 'none') throw new ForbiddenException('no token')
    return headers.authorization === 'secret'
  }
}

@Injectable()
class Wrap implements NestInterceptor {
  intercept(_context: ExecutionContext, next: CallHandler): Observable<unknown> {
    return next.handle().pipe(map((data) => ({ data })))
  }
}

@Injectable({ scope: Scope.REQUEST })
class Counter {
  count = 0
}

@Injectable()
class Log implements OnApplicationShutdown {
  static readonly shutdowns: (string | undefined)[] = []
  onApplicationShutdown(signal?: string): void {
    Log.shutdowns.push(signal)
  }
}

@Controller('cats')
class CatsController {
  constructor(private readonly counter: Counter) {}

  @Get()
  list(@Query('limit') limit?: string, @Query() query?: object) {
    return { limit, query, count: ++this.counter.count }
  }
  @Get('lost')
  @UseFilters(CatLostFilter)
  lost(): never {
    throw new CatLost('Tom')
  }
  @Get('broken')
  broken(): never {
    throw new Error('a secret of the server')
  }
  @Get('guarded')
  @UseGuards(TokenGuard)
  guarded() {
    return 'let in'
  }
  @Get('wrapped')
  @UseInterceptors(Wrap)
  wrapped() {
    return { inside: true }
  }
  @Get(':id')
  find(@Param('id', ParseIntPipe) id: number) {
    if (id === 404) throw new NotFoundException(`No cat ${id}`)
    return { id }
  }
  @Post()
  create(@Body() cat: CreateCat) {
    return cat
  }
  @Put(':id')
  replace(@Param('id') id: string, @Body() body: unknown) {
    return { id, body }
  }
  @Patch(':id')
  @HttpCode(202)
  change(@Body('name') name: string) {
    return { name }
  }
  @Delete(':id')
  @HttpCode(204)
  remove(): void {}
  @Search()
  search() {
    return 'searched'
  }
  @Options('choices')
  choices(@Res({ passthrough: true }) reply: { header(name: string, value: string): void }) {
    reply.header('allow', 'GET')
    return ''
  }
  @Head('head')
  head(): void {}
}

@Controller()
class MoreController {
  @Get('text')
  @Header('x-own', 'yes')
  text() {
    return 'plain'
  }
  @Get('nothing')
  nothing(): void {}
  @Get('null')
  none(): null {
    return null
  }
  @Get('old')
  @Redirect('/text', 301)
  old(): void {}
  @Get('file')
  file() {
    return new StreamableFile(Buffer.from('contents'), { type: 'text/csv', disposition: 'attachment; filename="a.csv"' })
  }
  @Get('stream')
  stream() {
    return new StreamableFile(Readable.from(['one', 'two']))
  }
  @Sse('events')
  events() {
    return from([{ data: { n: 1 } }, { data: 'two', id: '2', type: 'kind' }])
  }
  @Get('page')
  @Render('page.hbs')
  page() {
    return { title: 'A <page>' }
  }
  @Get('own')
  own(@Res() reply: { code(status: number): { type(name: string): { send(payload: string): void } } }): void {
    reply.code(201).type('text/x-own').send('own')
  }
  @Get('seen')
  seen(@Req() request: { raw: { seen?: string } }, @Headers('x-asked') asked?: string) {
    return { seen: request.raw.seen, asked }
  }
  @Post('bad')
  bad(): never {
    throw new BadRequestException({ reason: 'own payload' })
  }
  @Get('versioned')
  first() {
    return 'any'
  }
}

@Controller({ path: 'versioned', version: '2' })
class SecondController {
  @Get()
  second() {
    return 'second'
  }
}

@Controller({ host: ':tenant.example.com', path: 'tenant' })
class TenantController {
  @Get()
  tenant(@HostParam('tenant') tenant: string) {
    return { tenant }
  }
}

@Module({ controllers: [CatsController, SecondController, MoreController, TenantController], providers: [Counter, Log] })
class AppModule implements NestModule {
  configure(consumer: MiddlewareConsumer): void {
    consumer
      .apply((request: { seen?: string }, response: { setHeader(name: string, value: string): void }, next: () => void) => {
        request.seen = 'by middleware'
        response.setHeader('x-middleware', 'ran')
        next()
      })
      .forRoutes('seen')
  }
}

export async function createApp(
  adapter: AbstractHttpAdapter,
  views: string,
): Promise<{ app: NestFastifyApplication; shutdowns: unknown[] }> {
  const app = await NestFactory.create<NestFastifyApplication>(AppModule, adapter, { logger: false, rawBody: true })
  app.useGlobalPipes(new ValidationPipe({ transform: true, whitelist: true }))
  app.enableVersioning({ type: VersioningType.HEADER, header: 'x-version', defaultVersion: VERSION_NEUTRAL })
  app.enableCors({ origin: 'http://allowed.test', credentials: true })
  app.setViewEngine({ engine: { handlebars }, templates: views })
  app.useStaticAssets({ root: views, prefix: '/assets/' })
  app.enableShutdownHooks([])
  Log.shutdowns.length = 0
  return { app, shutdowns: Log.shutdowns }
}
