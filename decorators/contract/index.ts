/** What `alcove/contract` exports: the interface of an application as data. */
import '../declare/metadata.js'

export { describe } from './describe.js'
