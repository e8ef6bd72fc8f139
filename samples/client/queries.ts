/** How does a page use the routes with TanStack Query? By `alcove client --tanstack --out client.ts`. */
// #region queries
import { type ClientOptions, createClient, mutations, queries } from './client.js'

/** `useQuery(greeting(7))` and `useMutation(addGreeting())`: plain objects, for React, Vue, Solid, Svelte and Angular. */
export function greetingsOf(options: ClientOptions) {
  const api = createClient(options)
  const { greetings } = queries(api)
  return {
    greeting: (id: number) => greetings.find({ params: { id } }),
    addGreeting: () => mutations(api).greetings.add(),
    /** `queryClient.invalidateQueries({ queryKey: allGreetings })` */
    allGreetings: ['greetings'],
  }
}
// #endregion
