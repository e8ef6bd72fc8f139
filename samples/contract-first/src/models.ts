/** The schemas that several operations share. */
import { Model } from 'alcove'

export class NewNote extends Model({
  $id: 'NewNote',
  type: 'object',
  required: ['text'],
  properties: { text: { type: 'string', minLength: 1 } },
}) {}

export class Note extends Model({
  $id: 'Note',
  type: 'object',
  required: ['id', 'text'],
  properties: { id: { type: 'integer' }, text: { type: 'string' } },
}) {}

export class Failure extends Model({
  $id: 'Failure',
  type: 'object',
  required: ['message'],
  properties: { message: { type: 'string' } },
}) {}

/** All shared schemas, for the option `schemas` of a plugin. */
export const schemas = [NewNote, Note, Failure]
