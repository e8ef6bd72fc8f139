import { Injectable } from 'alcove'
import { Database } from '../database/database.js'
import { NoSuchBook } from './book.errors.js'
import type { Book, NewBook } from './book.models.js'

const columns = 'id, title, author, year'

@Injectable()
export class Books {
  constructor(private readonly db: Database) {}

  list(author?: string): Promise<Book[]> {
    return this.db.query(`select ${columns} from books where $1::text is null or author = $1 order by id`, [author])
  }

  async find(id: number): Promise<Book> {
    const [book] = await this.db.query<Book>(`select ${columns} from books where id = $1`, [id])
    if (book === undefined) throw new NoSuchBook({ bookId: id })
    return book
  }

  /** @returns `null` for books from the time before there were users */
  async ownerOf(id: number): Promise<number | null> {
    const [book] = await this.db.query<{ owner: number | null }>('select owner_id as owner from books where id = $1', [id])
    if (book === undefined) throw new NoSuchBook({ bookId: id })
    return book.owner
  }

  async create(ownerId: number, { title, author, year }: NewBook): Promise<Book> {
    const [book] = await this.db.query<Book>(
      `insert into books (owner_id, title, author, year) values ($1, $2, $3, $4) returning ${columns}`,
      [ownerId, title, author, year],
    )
    return book!
  }

  async change(id: number, { title, author, year }: Partial<NewBook>): Promise<Book> {
    const [book] = await this.db.query<Book>(
      `update books set title = coalesce($2, title), author = coalesce($3, author), year = coalesce($4, year)
       where id = $1 returning ${columns}`,
      [id, title, author, year],
    )
    if (book === undefined) throw new NoSuchBook({ bookId: id })
    return book
  }

  async remove(id: number): Promise<void> {
    const removed = await this.db.query('delete from books where id = $1 returning id', [id])
    if (removed.length === 0) throw new NoSuchBook({ bookId: id })
  }

  async authors(): Promise<string[]> {
    const rows = await this.db.query<{ author: string }>('select distinct author from books order by author')
    return rows.map(({ author }) => author)
  }
}
