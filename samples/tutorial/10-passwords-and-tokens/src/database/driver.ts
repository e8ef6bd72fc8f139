/** The same operations on PGlite, PostgreSQL inside this process, and on a PostgreSQL server. */
import { mkdir } from 'node:fs/promises'
import { PGlite } from '@electric-sql/pglite'
import { Pool } from 'pg'

export interface Connection {
  query(text: string, values: unknown[]): Promise<{ rows: unknown[] }>
  /** Runs several statements. */
  run(script: string): Promise<unknown>
}

export interface Driver extends Connection {
  /** Commits when the promise of `work` resolves, and rolls back when it rejects. */
  transaction<T>(work: (connection: Connection) => Promise<T>): Promise<T>
  close(): Promise<void>
}

/** @param url `postgres://…`, `pglite:folder`, or `pglite:` for a database in memory */
export async function openDriver(url: string, poolSize: number, onLostConnection: (error: Error) => void): Promise<Driver> {
  if (!url.startsWith('pglite:')) return openServer(url, poolSize, onLostConnection)
  const folder = url.slice('pglite:'.length)
  // PGlite itself makes the last folder of the path only.
  if (folder !== '') await mkdir(folder, { recursive: true })
  return openEmbedded(await PGlite.create(folder || 'memory://'))
}

function openEmbedded(pglite: PGlite): Driver {
  type Client = Pick<PGlite, 'query' | 'exec'>
  const connect = (client: Client): Connection => ({
    query: (text, values) => client.query(text, values),
    run: (script) => client.exec(script),
  })
  return {
    ...connect(pglite),
    transaction: (work) => pglite.transaction((client) => work(connect(client))),
    close: () => pglite.close(),
  }
}

function openServer(url: string, max: number, onLostConnection: (error: Error) => void): Driver {
  const pool = new Pool({ connectionString: url, max, connectionTimeoutMillis: 5000 })
  // The pool replaces lost connections. It does not listen to one that `connect` has handed out: without a listener, its error would end the process.
  pool.on('connect', (client) => client.once('error', onLostConnection).on('error', () => {}))
  // The errors of idle connections once more.
  pool.on('error', () => {})
  return {
    query: (text, values) => pool.query(text, values),
    run: (script) => pool.query(script),
    async transaction(work) {
      const client = await pool.connect()
      try {
        await client.query('begin')
        const result = await work({ query: (text, values) => client.query(text, values), run: (script) => client.query(script) })
        await client.query('commit')
        client.release()
        return result
      } catch (error) {
        await client.query('rollback').then(
          () => client.release(),
          // The connection is broken: the pool opens another one.
          (failure: Error) => client.release(failure),
        )
        throw error
      }
    },
    close: () => pool.end(),
  }
}
