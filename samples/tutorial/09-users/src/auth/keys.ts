import { createHash, timingSafeEqual } from 'node:crypto'
import { Injectable } from 'alcove'
import { Settings } from '../settings.js'

const hash = (text: string): Buffer => createHash('sha256').update(text).digest()

/** The users by their keys. The first key is that of user 1. */
@Injectable()
export class Keys {
  constructor(private readonly settings: Settings) {}

  find(key: string): number | undefined {
    const index = this.settings.API_KEYS.split(',').findIndex((own) => timingSafeEqual(hash(own), hash(key)))
    return index === -1 ? undefined : index + 1
  }
}
