/** How is GraphQL served? By unmodified mercurius, with providers in the context of its resolvers. */
// #region books
import { HttpError, httpError, Injectable, requestDecorator, type RouteRequest } from 'alcove'

export interface Book {
  readonly id: string
  readonly title: string
  readonly authorId: string
}

export class Books {
  readonly #books: Book[] = [
    { id: '1', title: 'Emma', authorId: 'jane' },
    { id: '2', title: 'Persuasion', authorId: 'jane' },
  ]
  list(): readonly Book[] {
    return this.#books
  }
  find(id: string): Book | undefined {
    return this.#books.find((book) => book.id === id)
  }
  add(title: string, authorId: string): Book {
    if (title === '') throw new HttpError(400, 'A title is not empty')
    const book = { id: String(this.#books.length + 1), title, authorId }
    this.#books.push(book)
    return book
  }
}

export class Authors {
  /** How often the authors were looked up. */
  lookups = 0

  async findAll(ids: readonly string[]): Promise<{ id: string; name: string }[]> {
    this.lookups += 1
    return ids.map((id) => ({ id, name: `${id} the author` }))
  }
}
// #endregion

// #region guard
export const CurrentUser = requestDecorator('user').as<string>()

class Unauthorized extends httpError(401, {}, { message: 'Send a key as x-key' }) {}

@Injectable()
export class RequireUser {
  static readonly sets = [CurrentUser] as const
  static readonly throws = [Unauthorized] as const

  onRequest(request: RouteRequest<unknown, [typeof CurrentUser]>) {
    if (request.headers['x-key'] !== 'jane-key') throw new Unauthorized()
    request.user = 'jane'
  }
}
// #endregion

// #region graphql
import { optionsFrom, Plugin, use } from 'alcove'
import type { FastifyRequest } from 'fastify'
import { type ExecutionResult, GraphQLError } from 'graphql'
import mercurius, { type IResolvers, type MercuriusContext, type MercuriusLoaders } from 'mercurius'

const schema = `
  type Query { books: [Book!]!, book(id: ID!): Book }
  type Mutation { addBook(title: String!): Book! }
  type Book { id: ID!, title: String!, author: Author! }
  type Author { id: ID!, name: String!, books: [Book!]! }
`

/** What every resolver gets. */
declare module 'mercurius' {
  interface MercuriusContext {
    books: Books
    authors: Authors
    user: string
  }
}

const resolvers: IResolvers = {
  Query: {
    books: (_root, _args, { books }) => books.list(),
    book: (_root, { id }: { id: string }, { books }) => books.find(id),
  },
  Mutation: {
    addBook: (_root, { title }: { title: string }, { books, user }) => books.add(title, user),
  },
  Author: {
    books: ({ id }: { id: string }, _args, { books }) => books.list().filter(({ authorId }) => authorId === id),
  },
}

/** One lookup for the authors of all books of a reply, instead of one for each book. */
const loaders: MercuriusLoaders = {
  Book: {
    author: (asked: { obj: Book }[], { authors }) => authors.findAll(asked.map(({ obj }) => obj.authorId)),
  },
}

/** Clients see the faults of their query, and errors below 500 that providers throw. Of all others only the log knows. */
function formatErrors(execution: ExecutionResult, context: MercuriusContext) {
  const errors = (execution.errors ?? []).map((error) => {
    const { originalError, nodes, path } = error
    const { statusCode = 500 } = (originalError ?? { statusCode: 400 }) as { statusCode?: number }
    if (statusCode < 500) return error
    context.reply.log.error({ err: originalError }, 'a resolver failed')
    return new GraphQLError('Internal Server Error', { nodes, path })
  })
  return mercurius.defaultErrorFormatter({ ...execution, errors }, context)
}

const graphql = use(
  mercurius,
  optionsFrom([Books, Authors], (books, authors) => ({
    schema,
    resolvers,
    loaders,
    context: (request: FastifyRequest) => ({ books, authors, user: request.getDecorator<string>('user') }),
    errorFormatter: formatErrors,
    queryDepth: 6,
    graphiql: false,
  })),
)

@Plugin({ requires: [CurrentUser], imports: [graphql] })
export class GraphqlPlugin {}

@Plugin({ decorateRequest: [CurrentUser], providers: [Books, Authors], hooks: { onRequest: RequireUser }, imports: [GraphqlPlugin] })
export class App {}
// #endregion
