/** A page that calls the API: bundled and opened in a browser by tests/browser/client.mjs. */
// #region page
import { createClient } from './client.js'

const api = createClient({})
const form = document.querySelector('form')!
const output = document.querySelector('output')!

form.addEventListener('submit', async (event) => {
  event.preventDefault()
  const name = new FormData(form).get('name') as string
  const reply = await api.greetings.add({ body: { name } })
  if (reply.status === 201) output.value = `Hello ${reply.body.name}, you are number ${reply.body.id}`
  else if (reply.status === 400) output.value = reply.body.message
})
// #endregion
