import { arch, cpus, platform } from 'node:os'
import { measureAll } from './measure.js'

console.log(`${cpus()[0]!.model}, ${cpus().length} cores, ${platform()} ${arch()}, Node ${process.versions.node}\n`)
for (const { what, slow, fast, unit } of await measureAll(3000)) {
  const text = (value: number): string => `${value < 10 ? value.toPrecision(2) : Math.round(value).toLocaleString('en')} ${unit}`
  console.log(`${what.padEnd(60)}${text(slow).padStart(12)}${text(fast).padStart(14)}`)
}
