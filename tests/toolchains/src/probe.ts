/** Prints what the checks saw as one line of JSON. */
import { probe } from './checks.js'

console.log(JSON.stringify(await probe()))
