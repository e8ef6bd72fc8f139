import { createClient, mutations, queries } from './client.ts'

/** Without `baseUrl`: the server of the page. With one: another origin, to which cookies are sent only with `credentials`. */
const baseUrl = import.meta.env['VITE_API_URL'] as string | undefined
const api = createClient(baseUrl === undefined ? {} : { baseUrl, init: { credentials: 'include' } })

export const query = queries(api)
export const mutation = mutations(api)
