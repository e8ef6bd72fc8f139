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

/** Goes on until the signal is aborted, also if the server is started again. */
export async function followTicks(baseUrl: string, signal: AbortSignal, log: (line: string) => void): Promise<void> {
  const api = createClient({ baseUrl })
  // #region reconnect
  const ticks = await api.getTicks({ reconnect: true, signal }).expect(200)
  for await (const { event, id, data } of ticks.events()) log(`${event} ${id}: ${data.n}`)
  // #endregion
}
