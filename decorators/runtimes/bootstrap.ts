/**
 * The function `bootstrap` as a separate module, which the entries of other runtimes import dynamically: a server made by `createServer`
 * then starts without the code for classes. A bundler keeps all exports of a dynamically imported module, so this module has only one.
 */
export { bootstrap } from '../run/bootstrap.js'
