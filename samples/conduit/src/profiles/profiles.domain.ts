import { Plugin } from 'alcove'
import { Profiles } from './profiles.js'

@Plugin({ shared: true, providers: [Profiles] })
export class ProfilesDomain {}
