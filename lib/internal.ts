/** What `decorators/` shares with `lib/`, beside the public face: not exported from the package. */
export { kDisplayName, kSkipOverride } from './util/symbols.js'
