import { httpError } from 'alcove'

export class NoSuchBook extends httpError(404, { bookId: { type: 'integer' } }, { message: 'There is no such book' }) {}
export class NotTheOwner extends httpError(403, {}, { message: 'Only its owner changes a book' }) {}
