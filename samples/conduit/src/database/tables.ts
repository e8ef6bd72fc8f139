/** The tables, as the migrations leave them. */
import type { Generated } from 'kysely'

interface UserTable {
  id: Generated<number>
  username: string
  email: string
  password_hash: string
  bio: string | null
  image: string | null
}

interface FollowTable {
  follower_id: number
  followed_id: number
}

interface ArticleTable {
  id: Generated<number>
  author_id: number
  slug: string
  title: string
  description: string
  body: string
  created_at: Generated<Date>
  updated_at: Generated<Date>
}

interface ArticleTagTable {
  article_id: number
  tag: string
  position: number
}

interface FavoriteTable {
  article_id: number
  user_id: number
}

interface CommentTable {
  id: Generated<number>
  article_id: number
  author_id: number
  body: string
  created_at: Generated<Date>
  updated_at: Generated<Date>
}

export interface Tables {
  users: UserTable
  follows: FollowTable
  articles: ArticleTable
  article_tags: ArticleTagTable
  favorites: FavoriteTable
  comments: CommentTable
}
