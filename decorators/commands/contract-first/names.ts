/** Names of TypeScript for what a document calls otherwise: of any texts, safe ones that are each used once. */

/** Words that are no names, and names that the language or its globals have. */
const reserved = new Set(
  `abstract any arguments as async await boolean break case catch class const constructor continue debugger declare default delete do else enum
  eval export extends false finally for from function get if implements import in infer instanceof interface is keyof let module namespace
  never new null number object of package private protected prototype public readonly require return satisfies set static string super switch
  symbol this throw true try type typeof undefined unknown var void while with yield
  hasOwnProperty isPrototypeOf propertyIsEnumerable toLocaleString toString valueOf
  Array Boolean Buffer Class Date Error Function JSON Map Math NaN Number Object Promise Record RegExp Request Response Set String Symbol URL
  Infinity globalThis process`.split(/\s+/),
)

/** `find pets-by_id` → `find`, `pets`, `by`, `id`. Characters that are not of ASCII are left out. */
function wordsOf(text: string): string[] {
  return text.match(/[A-Za-z0-9]+/g) ?? []
}

/** `PetStatus`; begins with a letter. */
export function pascal(text: string, fallback: string): string {
  const name = wordsOf(text)
    .map((word) => word.slice(0, 1).toUpperCase() + word.slice(1))
    .join('')
    .slice(0, 60)
  return name === '' ? fallback : /^\d/.test(name) ? fallback + name : name
}

/** `findPetsById` */
export function camel(text: string, fallback: string): string {
  const name = pascal(text, fallback)
  // Of an abbreviation, all letters: `APIKey` is `apiKey`.
  return name.replace(/^(?:[A-Z]+(?=[A-Z][a-z])|[A-Z]+(?=\d|$)|[A-Z])/, (start) => start.toLowerCase())
}

/** The name of a file: `pet-status`. */
export function kebab(text: string, fallback: string): string {
  const name = wordsOf(text.replaceAll(/(?<=[a-z\d])(?=[A-Z])/g, '-'))
    .join('-')
    .toLowerCase()
    .slice(0, 60)
  return name === '' ? fallback : name
}

/** Gives each name once: `find`, `find2`. Upper and lower case count as the same, as in file systems. */
export class Names {
  readonly #taken: Set<string>

  constructor(taken: readonly string[] = []) {
    this.#taken = new Set(taken.map((name) => name.toLowerCase()))
  }

  take(wanted: string): string {
    let name = wanted
    for (let number = 2; reserved.has(name) || this.#taken.has(name.toLowerCase()); number++) name = `${wanted}${number}`
    this.#taken.add(name.toLowerCase())
    return name
  }
}
