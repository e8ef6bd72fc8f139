/** How are the items of a stream read? */
import { client } from 'alcove/client'
import type { GetTicks } from '../events/app.js'
import { routes } from './event-routes.js'

export async function firstTicks(baseUrl: string, count: number): Promise<number[]> {
  const clock = client<GetTicks>(routes.GetTicks, { baseUrl })
  const numbers: number[] = []
  // #region stream
  const ticks = await clock.handle().expect(200)
  for await (const { n } of ticks) {
    numbers.push(n)
    if (numbers.length === count) break
  }
  // #endregion
  return numbers
}
