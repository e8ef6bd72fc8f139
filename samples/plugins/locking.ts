/** How is a version compared and written in one step? By one statement. */
// #region sql
import type { PGlite } from '@electric-sql/pglite'

export interface Article {
  id: number
  text: string
  version: number
}

export class SqlArticles {
  constructor(private readonly db: Pick<PGlite, 'query'>) {}

  /** `undefined`: there is no such article, or it has another version. */
  async change(id: number, text: string, seen: readonly number[]): Promise<Article | undefined> {
    const statement = `
      update articles set text = $2, version = version + 1 where id = $1 and version = any($3) returning id, text, version`
    const { rows } = await this.db.query<Article>(statement, [id, text, seen])
    return rows[0]
  }
}
// #endregion
