/** How are the items of a stream read? */
import { createClient } from './events.js'

export async function firstTicks(baseUrl: string, count: number): Promise<number[]> {
  const api = createClient({ baseUrl })
  const numbers: number[] = []
  // #region stream
  const ticks = await api.getTicks().expect(200)
  for await (const { n } of ticks) {
    numbers.push(n)
    if (numbers.length === count) break
  }
  // #endregion
  return numbers
}
