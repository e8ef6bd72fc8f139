/** Where this package is. */
import { pathToFileURL } from 'node:url'

// A bundle in the CommonJS format has no `import.meta.url`, but this name of CommonJS.
declare const __filename: string

/** URL of this file, or of the bundle that it is part of. */
export const ownUrl: string = import.meta.url ?? pathToFileURL(__filename).href
