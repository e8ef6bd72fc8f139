/** How does a plugin find what it schedules? By a decorator of its own, through `providersWith`. */
// #region scheduler
import { type BootstrappedServer, type DecoratedProvider, Hook, metadataDecorator, Plugin, SERVER } from 'alcove'

export const Every = metadataDecorator<{ ms: number }>('Every')

@Plugin({ shared: true }) // it serves the plugin that imports it, and those below
export class SchedulerPlugin {
  static readonly inject = [SERVER] as const
  readonly #timers: NodeJS.Timeout[] = []
  #jobs: DecoratedProvider<{ ms: number }>[] = []
  constructor(private readonly server: BootstrappedServer) {}

  onReady() {
    this.#jobs = this.server.providersWith(Every)
  }
  onListen() {
    for (const job of this.#jobs) this.#timers.push(setInterval(() => void this.#run(job), job.value.ms))
  }
  @Hook('preClose')
  stop() {
    for (const timer of this.#timers) clearInterval(timer)
  }
  async #run({ instance, method = 'run', place }: DecoratedProvider) {
    try {
      await this.server.run(() => instance[method](), { name: place })
    } catch (error) {
      this.server.log.error({ err: error }, `${place} failed`)
    }
  }
}
// #endregion

// #region jobs
export class Sessions {
  cleanUps = 0

  @Every({ ms: 20 })
  cleanUp() {
    this.cleanUps += 1
  }
}

@Plugin({ providers: [Sessions] })
class AccountPlugin {}

@Plugin({ imports: [SchedulerPlugin, AccountPlugin] })
export class App {}
// #endregion
