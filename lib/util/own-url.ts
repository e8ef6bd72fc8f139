/** The URL at which this package runs. */
import { pathToFileURL } from 'node:url'

// A bundle in the CommonJS format has no `import.meta.url`, but this name of CommonJS.
declare const __filename: string

/** The URL of the file `own-url.js`, or of the bundle that contains it. Files of the package are searched from this place. */
export const ownUrl: string = import.meta.url ?? pathToFileURL(__filename).href
