/** Reads a document from a JSON file, or from a YAML file if the package yaml is installed. */
import { readFile } from 'node:fs/promises'
import { pathToFileURL } from 'node:url'
import { resolvePeer } from '../../peer.js'
import { UsageError } from '../modules.js'

/** The exports of the package yaml that alcove uses. */
interface Yaml {
  parse(text: string): unknown
  stringify(value: unknown, options?: object): string
}

export function isYaml(file: string): boolean {
  return /\.ya?ml$/i.test(file)
}

export async function loadYaml(): Promise<Yaml> {
  const yaml = (await import(pathToFileURL(resolvePeer('yaml', 'A YAML file')).href)) as Yaml
  // Without this option equal parts would be written as references (`&a`, `*a`), which every reader would have to follow.
  return { parse: yaml.parse, stringify: (value) => yaml.stringify(value, { aliasDuplicateObjects: false }) }
}

/**
 * Reads and parses the document in a JSON or YAML file.
 * @throws UsageError if the file cannot be read or parsed
 */
export async function readDocument(file: string): Promise<unknown> {
  if (/^https?:/.test(file)) throw new UsageError(`${file} is not a file. Download it first: curl -o openapi.json ${file}`)
  try {
    return await parseDocument(await readFile(file, 'utf8'), file)
  } catch (error) {
    throw error instanceof UsageError ? error : new UsageError(`${file} cannot be read: ${(error as Error).message}`)
  }
}

/**
 * Parses a document of JSON or YAML.
 * @param file the name of the document's file, whose ending tells whether the document is YAML
 * @throws UsageError if the document cannot be parsed
 */
export async function parseDocument(text: string, file: string): Promise<unknown> {
  const parse = isYaml(file) ? await loadParser(file) : JSON.parse
  try {
    // Some editors write a byte order mark, which JSON.parse refuses.
    return parse(text.replace(/^\uFEFF/, '')) as unknown
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
