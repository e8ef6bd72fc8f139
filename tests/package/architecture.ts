/** The rooms of the sources with their files and imports, and the picture of them, docs/architecture.svg. */
import { createRequire } from 'node:module'
import { join } from 'node:path'
import { cruise, type ICruiseResult } from 'dependency-cruiser'

/** A folder of `lib` or `decorators`, or a file beside these folders. */
export interface Room {
  readonly name: string
  readonly purpose: string
  /** The names of its files without `.ts`, by the folder within the room; '' for the room itself. */
  readonly folders: ReadonlyMap<string, readonly string[]>
  /** How many pairs of files import, by the room that is imported from. */
  readonly imports: ReadonlyMap<string, number>
}

/** `lib` or `decorators`, with its rooms from the ground up. */
export interface Layer {
  readonly name: string
  readonly rooms: readonly Room[]
}

/** Reads the imports as the layer check does, and the order and purposes of the rooms from its configuration. */
export async function readLayers(project: string): Promise<Layer[]> {
  const { rooms } = createRequire(import.meta.url)(join(project, '.dependency-cruiser.cjs')) as {
    rooms: Record<string, Record<string, string>>
  }
  const { output } = await cruise(Object.keys(rooms), {
    baseDir: project,
    parser: 'swc',
    tsPreCompilationDeps: true,
    exclude: 'node_modules',
  })
  const files = (output as ICruiseResult).modules
    .filter(({ source }) => Object.hasOwn(rooms, source.split('/')[0]!))
    .map(({ source, dependencies }) => ({ source, imported: new Set(dependencies.map(({ resolved }) => resolved)) }))
    .sort((one, other) => (one.source < other.source ? -1 : 1))

  return Object.entries(rooms).map(([layer, purposes]) => ({
    name: layer,
    rooms: Object.entries(purposes).map(([name, purpose]) => {
      const own = files.filter(({ source }) => roomOf(source) === `${layer}/${name}`)
      const folders = new Map<string, string[]>()
      const imports = new Map<string, number>()
      for (const { source, imported } of own) {
        const path = source.slice(0, -'.ts'.length).split('/').slice(1)
        const folder = path.slice(1, -1).join('/')
        folders.set(folder, [...(folders.get(folder) ?? []), path.at(-1)!])
        for (const target of imported) if (target.endsWith('.ts')) count(imports, nameSeen(layer, target))
      }
      return { name, purpose, folders, imports }
    }),
  }))
}

/** `lib/route/router.ts` → `lib/route`, `lib/index.ts` → `lib/index`. */
function roomOf(file: string): string {
  return file.replace(/\.ts$/, '').split('/').slice(0, 2).join('/')
}

/** The name of the file's room, or of its layer if that is another one. */
function nameSeen(layer: string, file: string): string {
  const [other, name] = roomOf(file).split('/')
  return other === layer ? name! : other!
}

function count(counts: Map<string, number>, key: string): void {
  counts.set(key, (counts.get(key) ?? 0) + 1)
}
