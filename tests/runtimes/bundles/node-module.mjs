/** Stands for `node:module` in a bundle of a built application for Node, Bun or Deno: the libraries are found in it, modules of Node outside. */
import { createRequire as createRequireOfNode } from 'node:module'
import { libraries } from '../../../samples/workers/libraries.mjs'

export const createRequire = (url) => {
  const require = createRequireOfNode(url)
  return (name) => (Object.hasOwn(libraries, name) ? libraries[name] : require(name))
}
