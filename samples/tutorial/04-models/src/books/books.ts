// #region changes
import { HttpError } from 'alcove'
import type { Book, NewBook } from './book.models.js'
// #endregion

export class Books {
  readonly #books = new Map<number, Book>()
  #lastId = 0

  list(author?: string): Book[] {
    return [...this.#books.values()].filter((book) => author === undefined || book.author === author)
  }

  find(id: number): Book {
    const book = this.#books.get(id)
    if (book === undefined) throw new HttpError(404, 'There is no such book')
    return book
  }

  // #region changes
  create({ title, author, year }: NewBook): Book {
    const book = { id: (this.#lastId += 1), title, author, year }
    this.#books.set(book.id, book)
    return book
  }

  change(id: number, changes: Partial<NewBook>): Book {
    return Object.assign(this.find(id), changes)
  }
  // #endregion

  remove(id: number): void {
    this.find(id)
    this.#books.delete(id)
  }

  authors(): string[] {
    return [...new Set(this.list().map(({ author }) => author))].sort()
  }
}
