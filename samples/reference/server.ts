// #region options
import { createServer } from 'alcove'

export const server = createServer({
  logger: { level: 'warn' },
  bodyLimit: 65_536, // bytes
  handlerTimeout: 10_000, // ms
  trustProxy: 'loopback, 10.0.0.0/8',
})
// #endregion
