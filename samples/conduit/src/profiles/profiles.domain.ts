import { Plugin } from 'alcove'
import { Profile } from './profile.schema.js'
import { Profiles } from './profiles.js'

@Plugin({ shared: true, schemas: [Profile], providers: [Profiles] })
export class ProfilesDomain {}
