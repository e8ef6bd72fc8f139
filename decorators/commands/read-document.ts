/** Reads a file with a document: JSON, or YAML if the package yaml is installed. */
import { readFile } from 'node:fs/promises'
import { pathToFileURL } from 'node:url'
import { resolvePeer } from '../contract/peer.js'
import { UsageError } from './modules.js'

/** The package yaml, as far as it is used here. */
interface Yaml {
  parse(text: string): unknown
  stringify(value: unknown, options?: object): string
}

export function isYaml(file: string): boolean {
  return /\.ya?ml$/i.test(file)
}

export async function loadYaml(): Promise<Yaml> {
  const yaml = (await import(pathToFileURL(resolvePeer('yaml', 'A YAML file')).href)) as Yaml
  // References between equal parts (`&a`, `*a`) would have to be followed by every reader.
  return { parse: yaml.parse, stringify: (value) => yaml.stringify(value, { aliasDuplicateObjects: false }) }
}

/** @throws UsageError if the file cannot be read or parsed */
export async function readDocument(file: string): Promise<unknown> {
  if (/^https?:/.test(file)) throw new UsageError(`${file} is not a file. Download it first: curl -o openapi.json ${file}`)
  const parse = isYaml(file) ? await loadParser(file) : JSON.parse
  try {
    return parse(await readFile(file, 'utf8')) as unknown
  } catch (error) {
    throw new UsageError(`${file} cannot be read: ${(error as Error).message}`)
  }
}

async function loadParser(file: string): Promise<Yaml['parse']> {
  try {
    return (await loadYaml()).parse
  } catch (error) {
    const { message } = error as Error
    throw new UsageError(`${message}. Or convert the file: npx js-yaml ${file} > ${file.replace(/\.ya?ml$/i, '.json')}`)
  }
}
