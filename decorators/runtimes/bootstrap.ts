/**
 * The function that makes a server from a plugin class, as a module of its own. The entries import it while they run, because a server made by
 * `createServer` starts without all that classes need. A bundler keeps everything of a module that is imported so: here it is one function.
 */
export { bootstrap } from '../run/bootstrap.js'
