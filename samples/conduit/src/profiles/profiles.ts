import { Injectable } from 'alcove'
import { type AliasableExpression, type Expression, sql } from 'kysely'
import { Database } from '../database/database.js'
import { notFound } from '../errors.js'
import type { Profile } from './profile.schema.js'

@Injectable()
export class Profiles {
  constructor(private readonly db: Database) {}

  /**
   * @param viewer the id of the user who asks
   * @throws ApiError 404
   */
  async find(username: string, viewer: number | undefined): Promise<Profile> {
    const profile = await this.db
      .selectFrom('users')
      .select(['username', 'bio', 'image'])
      .select(isFollowed(sql.ref('users.id'), viewer).as('following'))
      .where('username', '=', username)
      .executeTakeFirst()
    if (profile === undefined) throw notFound('profile')
    return profile
  }

  /** A second call has no effect. @throws ApiError 404 */
  async follow(username: string, follower: number): Promise<Profile> {
    await this.db
      .insertInto('follows')
      .columns(['follower_id', 'followed_id'])
      .expression((query) =>
        query
          .selectFrom('users')
          .select((users) => [users.val(follower).$castTo<number>().as('follower_id'), 'id as followed_id'])
          .where('username', '=', username),
      )
      .onConflict((conflict) => conflict.doNothing())
      .execute()
    return this.find(username, follower)
  }

  /** @throws ApiError 404 */
  async unfollow(username: string, follower: number): Promise<Profile> {
    await this.db
      .deleteFrom('follows')
      .where('follower_id', '=', follower)
      .where('followed_id', 'in', (query) => query.selectFrom('users').select('id').where('username', '=', username))
      .execute()
    return this.find(username, follower)
  }
}

/** Whether the viewer follows the user with this id; false for a visitor. */
export function isFollowed(user: Expression<number>, viewer: number | undefined): AliasableExpression<boolean> {
  return sql<boolean>`exists (select from follows where followed_id = ${user} and follower_id = ${viewer ?? null}::int)`
}
