/** How does a program without the sources of the server call it? By the file that `alcove client --out client.ts` has written. */
// #region file
import { createClient } from './client.js'

export async function greet(baseUrl: string): Promise<string> {
  const api = createClient({ baseUrl })
  const greeting = await api.greetings.add({ body: { name: 'Ada' } }).expect(201)
  return `${greeting.name} is number ${greeting.id}`
}
// #endregion
