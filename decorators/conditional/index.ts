/** The exports of alcove/conditional: conditional requests on the version of a resource. */
export { EntityTagInvalid, VersionChanged, VersionRequired } from './errors.js'
export { type EntityTag, readEntityTags } from './entity-tags.js'
export { type Version, version, type VersionOptions } from './version.js'
