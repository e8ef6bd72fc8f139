import { Injectable } from 'alcove'
import { Passwords } from '../auth/passwords.js'
import { Database } from '../database/database.js'
import { type Credentials, EmailTaken, type User, WrongCredentials } from './user.models.js'

@Injectable()
export class Users {
  constructor(
    private readonly db: Database,
    private readonly passwords: Passwords,
  ) {}

  async create({ email, password }: Credentials): Promise<User> {
    const [user] = await this.db.query<User>(
      'insert into users (email, password_hash) values ($1, $2) on conflict do nothing returning id, email',
      [email, await this.passwords.hash(password)],
    )
    if (user === undefined) throw new EmailTaken()
    return user
  }

  /** The user with an address and a password. */
  async identify({ email, password }: Credentials): Promise<User> {
    const [user] = await this.db.query<User & { hash: string }>(
      'select id, email, password_hash as hash from users where lower(email) = lower($1)',
      [email],
    )
    const isRight = await this.passwords.verify(password, user?.hash)
    if (user === undefined || !isRight) throw new WrongCredentials()
    return user
  }

  async find(id: number): Promise<User | undefined> {
    const [user] = await this.db.query<User>('select id, email from users where id = $1', [id])
    return user
  }
}
