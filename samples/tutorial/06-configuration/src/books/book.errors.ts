import { httpError } from 'alcove'

export class NoSuchBook extends httpError(404, { bookId: { type: 'integer' } }, { message: 'There is no such book' }) {}
