import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query'
import { type FormEvent, useState } from 'react'
import { mutation, query } from './api.ts'
import { ReplyError } from './client.ts'

export function Notes() {
  const queryClient = useQueryClient()
  const [text, setText] = useState('')
  const notes = useQuery(query.notes.list())
  const add = useMutation({
    ...mutation.notes.add(),
    async onSuccess() {
      setText('')
      await queryClient.invalidateQueries({ queryKey: ['notes'] })
    },
  })

  if (notes.isPending) return <p>…</p>
  if (notes.isError) return <p role="alert">{notes.error.message}</p>

  function submit(event: FormEvent) {
    event.preventDefault()
    add.mutate({ body: { text } })
  }

  return (
    <main>
      <ul>
        {notes.data.map((note) => (
          <li key={note.id}>
            {note.text} <small>by {note.by}</small>
          </li>
        ))}
      </ul>
      <form onSubmit={submit}>
        <input aria-label="New note" value={text} onChange={(event) => setText(event.target.value)} />
        <button disabled={add.isPending}>Add</button>
      </form>
      {add.isError && <p role="alert">{textOf(add.error)}</p>}
    </main>
  )
}

function textOf(error: unknown): string {
  if (!(error instanceof ReplyError)) return 'The server cannot be reached'
  return error.status === 401 ? 'Please log in first' : error.message
}
