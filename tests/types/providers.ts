/** What tokens stand for, and what providers may give for them. */
import {
  type BootstrappedServer,
  bootstrap,
  type DecoratedProvider,
  factory,
  Injectable,
  LOGGER,
  type Logger,
  metadataDecorator,
  optional,
  Plugin,
  type Provider,
  REQUEST,
  type Request,
  SERVER,
  token,
  type TokenValue,
} from 'alcove'

type Equal<A, B> = (<T>() => T extends A ? 1 : 2) extends <T>() => T extends B ? 1 : 2 ? true : false
declare function expectTrue<T extends true>(): T

class Db {
  query(sql: string) {
    return sql
  }
}
abstract class Store {
  abstract read(): string
}
const CLOCK = token<() => number>('CLOCK')
const OTHER = token<string>('OTHER')

// What a token stands for
expectTrue<Equal<TokenValue<typeof Db>, Db>>()
expectTrue<Equal<TokenValue<typeof Store>, Store>>()
expectTrue<Equal<TokenValue<typeof CLOCK>, () => number>>()
expectTrue<Equal<TokenValue<'text'>, unknown>>()
expectTrue<Equal<TokenValue<symbol>, unknown>>()
expectTrue<Equal<TokenValue<typeof REQUEST>, Request>>()
expectTrue<Equal<TokenValue<typeof LOGGER>, Logger>>()
expectTrue<Equal<TokenValue<typeof SERVER>, BootstrappedServer>>()
const maybe = optional(CLOCK)
expectTrue<Equal<TokenValue<typeof maybe>, (() => number) | undefined>>()

// server.resolve knows the type
const server = await bootstrap(Db)
expectTrue<Equal<ReturnType<typeof server.resolve<typeof Db>>, Db>>()
server.resolve(CLOCK)().toFixed()
// @ts-expect-error the token stands for a function that gives a number
server.resolve(CLOCK)().toUpperCase()
// @ts-expect-error a class has no such member
server.resolve(Db).missing
// @ts-expect-error no token
server.resolve(42)

// A factory is called with what it injects, and gives what its token stands for
factory(CLOCK, [Db, OTHER], (db, other) => () => db.query(other).length)
factory(CLOCK, [Db], async (db) => () => db.query('').length)
factory(Store, [optional(Db)], (db) => ({ read: () => db?.query('') ?? '' }))
factory(CLOCK, [], () => () => 1, { scope: 'request' })
// @ts-expect-error the token stands for a function
factory(CLOCK, [], () => 1)
// @ts-expect-error what is injected is a Db
factory(CLOCK, [Db], (db: string) => () => db.length)
// @ts-expect-error an optional dependency may be missing
factory(Store, [optional(Db)], (db) => ({ read: () => db.query('') }))
// @ts-expect-error there is no such scope
factory(CLOCK, [], () => () => 1, { scope: 'singleton' })

// Providers of a plugin
Plugin({
  providers: [
    Db,
    { provide: CLOCK, useValue: Date.now },
    { provide: 'text', useExisting: OTHER },
    { provide: Store, useFactory: () => ({ read: () => '' }) },
  ],
})
// @ts-expect-error a provider needs a token
Plugin({ providers: [{ useValue: 1 }] })
// @ts-expect-error a number is no provider
Plugin({ providers: [1] })
// @ts-expect-error there is no such scope
Plugin({ providers: [{ provide: Db, useClass: Db, scope: 'forever' }] })
// @ts-expect-error there is no such scope
Injectable({ scope: 'global' })

// A provider that names what it gives is checked
const sound: Provider<Db> = { provide: Db, useClass: Db }
void sound
// @ts-expect-error a string is no Db
const wrong: Provider<Db> = { provide: Db, useValue: 'text' }
void wrong

// In a plugin, every provider fits its token.
const LIST = token<{ names: string[]; at: Date }>('LIST')
class Hidden {
  readonly #rows = new Map<string, string>()
  private readonly table = 'hidden'
  query(sql: string) {
    return this.#rows.get(sql) ?? this.table
  }
}
class SameMembers {
  query(sql: string) {
    return sql
  }
}
class OtherMembers {
  run() {}
}
declare const untyped: any
Plugin({
  providers: [
    { provide: LIST, useValue: { names: ['a', 'b'], at: new Date() } },
    { provide: Hidden, useClass: SameMembers },
    { provide: Hidden, useValue: { query: (sql: string) => sql } },
    { provide: Store, useFactory: async () => Promise.resolve({ read: () => '' }) },
    { provide: Db, useExisting: Hidden },
    { provide: CLOCK, useExisting: 'text' },
    { provide: CLOCK, useFactory: () => untyped },
    { provide: 'text', useValue: 1 },
    { provide: REQUEST, useValue: untyped },
    factory(CLOCK, [Db], (db) => () => db.query('').length),
  ],
})
// @ts-expect-error the class lacks query()
Plugin({ providers: [{ provide: Hidden, useClass: OtherMembers }] })
// @ts-expect-error the names are texts
Plugin({ providers: [Db, { provide: LIST, useValue: { names: [1], at: new Date() } }] })
// @ts-expect-error the token stands for a function
Plugin({ providers: [{ provide: CLOCK, useValue: 'now' }] })
// @ts-expect-error a promise of something else
Plugin({ providers: [{ provide: Store, useFactory: async () => Promise.resolve({ write: () => '' }) }] })
// @ts-expect-error the other token stands for a text
Plugin({ providers: [{ provide: CLOCK, useExisting: OTHER }] })

// A decorator of the application takes a value of its type, and its uses have that type.
const Cron = metadataDecorator<{ pattern: string }>('Cron')
const Marked = metadataDecorator('Marked')
const Maybe = metadataDecorator<{ pattern: string } | undefined>('Maybe')
@Marked()
class Jobs {
  @Cron({ pattern: '0 3 * * *' })
  @Maybe()
  @Maybe({ pattern: '' })
  cleanUp() {}
  // @ts-expect-error the pattern is a text
  @Cron({ pattern: 3 })
  // @ts-expect-error the value is missing
  @Cron()
  // @ts-expect-error there is no value
  @Marked(1)
  // @ts-expect-error it has to be called
  @Cron
  other() {}
}
void Jobs
for (const { value, method } of server.providersWith(Cron)) {
  expectTrue<Equal<typeof value, { pattern: string }>>()
  expectTrue<Equal<typeof method, string | symbol | undefined>>()
}
expectTrue<Equal<ReturnType<typeof server.providersWith<void>>, DecoratedProvider<void>[]>>()
// @ts-expect-error not the decorator itself
server.providersWith(Cron({ pattern: '' }))
// @ts-expect-error not made by metadataDecorator
server.providersWith(Injectable)
