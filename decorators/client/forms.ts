/**
 * Makes forms of objects. `alcove client` copies this module into the client file, after runtime.ts, if routes of the application take
 * forms.
 */

/** A file in a form. A `File` is sent with its name, other files with the name `blob`. */
export type FormFile = Blob | Uint8Array

/**
 * Makes a form of an object: a list becomes several fields with the same name, a nested object a field with its JSON, and `null` an empty
 * text. `undefined` is left out.
 */
export function toForm(values: object): FormData {
  const form = new FormData()
  for (const [name, fields] of Object.entries(values))
    for (const value of [fields].flat()) if (value !== undefined) form.append(name, toField(value))
  return form
}

function toField(value: any): any {
  // Without the annotation the value would have a type that `Blob` takes only before TypeScript 5.7.
  const isBytes: boolean = ArrayBuffer.isView(value)
  if (isBytes) return new Blob([value])
  return value instanceof Blob ? value : typeof value === 'object' && value ? JSON.stringify(value) : `${value ?? ''}`
}
