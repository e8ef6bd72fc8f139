/** An application that compresses its replies. */
import { compression, Controller, Get, Plugin } from 'alcove'

@Controller('/reports')
export class ReportsController {
  @Get()
  list() {
    return Array.from({ length: 100 }, (_, id) => ({ id, name: `Report ${id}` }))
  }
}

// #region compression
@Plugin({ hooks: { onSend: compression({ threshold: 2048 }) }, routes: [ReportsController] })
export class App {}
// #endregion compression
