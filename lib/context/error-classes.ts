/** The error classes that contexts list for their routes. */
import type { HttpErrorClass } from '../errors/http-error.js'

/** An error class that a context lists in `throws`, and the path of the context. */
export interface ListedErrorClass {
  readonly Class: HttpErrorClass
  readonly from: string
}

interface ListingContext {
  readonly parent: ListingContext | undefined
  readonly ownErrorClasses: readonly ListedErrorClass[]
}

/** Returns the error classes that a context and its ancestors list, the outermost context's first. */
export function errorClassesOf({ parent, ownErrorClasses }: ListingContext): readonly ListedErrorClass[] {
  return parent === undefined ? ownErrorClasses : [...errorClassesOf(parent), ...ownErrorClasses]
}
