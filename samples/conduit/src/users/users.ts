import { Injectable } from 'alcove'
import { sql } from 'kysely'
import { Passwords } from '../auth/passwords.js'
import { Database, violatedConstraint } from '../database/database.js'
import { taken } from '../errors.js'
import type { LoginUser, NewUser, UpdateUser } from './user.schemas.js'

/** A user, as the application sees them. */
export interface Account {
  readonly id: number
  readonly username: string
  readonly email: string
  readonly bio: string | null
  readonly image: string | null
}

const columns = ['id', 'username', 'email', 'bio', 'image'] as const

@Injectable()
export class Users {
  constructor(
    private readonly db: Database,
    private readonly passwords: Passwords,
  ) {}

  /** @throws ApiError 422 if the name or the address is taken */
  async create({ username, email, password }: NewUser): Promise<Account> {
    const password_hash = await this.passwords.hash(password)
    return refuseTaken(() =>
      this.db.insertInto('users').values({ username, email, password_hash }).returning(columns).executeTakeFirstOrThrow(),
    )
  }

  findById(id: number): Promise<Account | undefined> {
    return this.db.selectFrom('users').select(columns).where('id', '=', id).executeTakeFirst()
  }

  /** @returns `undefined` if the address is unknown or the password is wrong */
  async findByCredentials({ email, password }: LoginUser): Promise<Account | undefined> {
    const found = await this.db
      .selectFrom('users')
      .select([...columns, 'password_hash'])
      .where(sql`lower(email)`, '=', sql`lower(${email})`)
      .executeTakeFirst()
    const isRight = await this.passwords.verify(password, found?.password_hash)
    return isRight ? found : undefined
  }

  /**
   * Changes the fields that are present; an empty bio or image is stored as `null`.
   * @throws ApiError 422 if the name or the address is taken
   */
  async update({ id }: Account, { username, email, password, bio, image }: UpdateUser): Promise<Account> {
    const changes = {
      // Set to its own value, because an update without any change would be a syntax error in SQL.
      username: username ?? sql<string>`username`,
      email,
      bio: bio === '' ? null : bio,
      image: image === '' ? null : image,
      password_hash: password === undefined ? undefined : await this.passwords.hash(password),
    }
    return refuseTaken(() => this.db.updateTable('users').set(changes).where('id', '=', id).returning(columns).executeTakeFirstOrThrow())
  }
}

const fieldOf = new Map([
  ['users_username_key', 'username'],
  ['users_email_key', 'email'],
])

/** Two requests may want the same name at once. Only the database can decide this; a query before the write cannot. */
async function refuseTaken<T>(write: () => Promise<T>): Promise<T> {
  try {
    return await write()
  } catch (error) {
    const field = fieldOf.get(violatedConstraint(error) ?? '')
    throw field === undefined ? error : taken(field)
  }
}
