import { Controller, Delete, Get, Injectable, Post, ref, type RouteRequest } from 'alcove'
import { CurrentUser } from '../auth/current-user.js'
import { refusals } from '../error.schema.js'
import { usernameParams } from '../schemas.js'
import { Profile } from './profile.schema.js'
import { Profiles } from './profiles.js'

const profileBody = { type: 'object', required: ['profile'], properties: { profile: ref(Profile) } } as const

const getProfile = {
  summary: 'A profile',
  params: usernameParams,
  response: { 200: profileBody, ...refusals(401, 404, 422) },
} as const

/** Open to everyone. */
@Injectable()
@Controller('/profiles', { docs: { tags: ['Profile'] } })
export class ProfileController {
  constructor(
    private readonly profiles: Profiles,
    private readonly currentUser: CurrentUser,
  ) {}

  @Get('/:username', getProfile)
  async getProfileByUsername({ params }: RouteRequest<typeof getProfile>) {
    return { profile: await this.profiles.find(params.username, this.currentUser.id) }
  }
}

const follow = {
  summary: 'Follow a user',
  params: usernameParams,
  response: { 200: profileBody, ...refusals(401, 404, 422) },
} as const

/** For logged-in users. */
@Injectable()
@Controller('/profiles/:username/follow', { docs: { tags: ['Profile'] } })
export class FollowProfileController {
  constructor(
    private readonly profiles: Profiles,
    private readonly currentUser: CurrentUser,
  ) {}

  @Post('', follow)
  async followUserByUsername({ params }: RouteRequest<typeof follow>) {
    return { profile: await this.profiles.follow(params.username, this.currentUser.account.id) }
  }

  @Delete('', { ...follow, summary: 'Unfollow a user' })
  async unfollowUserByUsername({ params }: RouteRequest<typeof follow>) {
    return { profile: await this.profiles.unfollow(params.username, this.currentUser.account.id) }
  }
}
