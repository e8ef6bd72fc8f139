/** How does a plugin find what it schedules? By a decorator of its own, through `providersWith`. */
// #region scheduler
import { type BootstrappedServer, type DecoratedProvider, Hook, metadataDecorator, Plugin, SERVER } from 'alcove'

export const Every = metadataDecorator<{ ms: number }>('Every')

@Plugin({ shared: true }) // it serves the plugin that imports it, and those below
export class SchedulerPlugin {
  static readonly inject = [SERVER] as const
  readonly #timers: NodeJS.Timeout[] = []
  readonly #running = new Set<Promise<void>>()
  #jobs: DecoratedProvider<{ ms: number }>[] = []
  constructor(private readonly server: BootstrappedServer) {}

  onReady() {
    this.#jobs = this.server.providersWith(Every)
  }
  onListen() {
    for (const job of this.#jobs) this.#timers.push(setInterval(() => this.#start(job), job.value.ms))
  }
  /** As a hook it runs before any provider is disposed of: what the jobs use is still there. */
  @Hook('onClose')
  async stop() {
    for (const timer of this.#timers) clearInterval(timer)
    await Promise.all(this.#running)
  }
  #start(job: DecoratedProvider) {
    const run = this.#run(job).finally(() => this.#running.delete(run))
    this.#running.add(run)
  }
  async #run({ instance, method = 'run', place }: DecoratedProvider) {
    try {
      await instance[method]()
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
