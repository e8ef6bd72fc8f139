/** Makes TypeScript names from the texts of a document. The names are valid whatever the text contains, and each is unique in its scope. */

/** The words that cannot be names: keywords, and names of the language and its globals. */
const reserved = new Set(
  `abstract any arguments as async await boolean break case catch class const constructor continue debugger declare default delete do else enum
  eval export extends false finally for from function get if implements import in infer instanceof interface is keyof let module namespace
  never new null number object of package private protected prototype public readonly require return satisfies set static string super switch
  symbol this throw true try type typeof undefined unknown var void while with yield
  hasOwnProperty isPrototypeOf propertyIsEnumerable toLocaleString toString valueOf
  Array Boolean Buffer Class Date Error Function JSON Map Math NaN Number Object Promise Record RegExp Request Response Set String Symbol URL
  Infinity globalThis process`.split(/\s+/),
)

/** Returns the words of a text: `find`, `pets`, `by` and `id` of `find pets-by_id`. Words consist of ASCII letters and digits. */
function wordsOfText(text: string): string[] {
  return text.match(/[A-Za-z0-9]+/g) ?? []
}

/**
 * Returns a text as the name of a class: `PetStatus` for `pet status`. The name begins with a letter.
 * @param fallback the name for a text without letters and digits, and the prefix of a name that would begin with a digit
 */
export function pascal(text: string, fallback: string): string {
  const name = wordsOfText(text)
    .map((word) => word.slice(0, 1).toUpperCase() + word.slice(1))
    .join('')
    .slice(0, 60)
  return name === '' ? fallback : /^\d/.test(name) ? fallback + name : name
}

/**
 * Returns a text as the name of a method or constant: `findPetsById` for `find pets by id`.
 * @param fallback the name for a text without letters and digits, and the prefix of a name that would begin with a digit
 */
export function camel(text: string, fallback: string): string {
  const name = pascal(text, fallback)
  // All letters of an abbreviation become small: `APIKey` is `apiKey`.
  return name.replace(/^(?:[A-Z]+(?=[A-Z][a-z])|[A-Z]+(?=\d|$)|[A-Z])/, (start) => start.toLowerCase())
}

/**
 * Returns a text as the name of a file: `pet-status` for `PetStatus`.
 * @param fallback the name for a text without letters and digits
 */
export function kebab(text: string, fallback: string): string {
  const name = wordsOfText(text.replaceAll(/(?<=[a-z\d])(?=[A-Z])/g, '-'))
    .join('-')
    .toLowerCase()
    .slice(0, 60)
  return name === '' ? fallback : name
}

/**
 * The used names of one scope. {@link take} returns an unused name: `find`, then `find2`. Names that differ only in case count as equal, as
 * in some file systems.
 */
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
