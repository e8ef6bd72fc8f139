/** How does a method run at times of the day? By a decorator that a plugin finds, and croner. */
// #region plugin
import { type BootstrappedServer, type DecoratedProvider, Hook, metadataDecorator, Plugin, SERVER } from 'alcove'
import { Cron } from 'croner'

export const At = metadataDecorator<{ cron: string; timezone: string }>('At')

@Plugin({ shared: true })
export class CronPlugin {
  static readonly inject = [SERVER] as const
  readonly #crons: Cron[] = []
  #jobs: DecoratedProvider<{ cron: string; timezone: string }>[] = []
  constructor(private readonly server: BootstrappedServer) {}

  onReady() {
    this.#jobs = this.server.providersWith(At)
  }
  onListen() {
    for (const job of this.#jobs) {
      const { cron, timezone } = job.value
      this.#crons.push(new Cron(cron, { timezone }, () => this.#run(job)))
    }
  }
  @Hook('preClose')
  stop() {
    for (const cron of this.#crons) cron.stop()
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

// #region job
export class Reports {
  sent = 0

  @At({ cron: '0 3 * * *', timezone: 'Europe/Berlin' }) // every night at three
  async sendAll() {
    this.sent += 1
  }
}

@Plugin({ imports: [CronPlugin], providers: [Reports] })
export class ReportsApp {}
// #endregion

export class Beats {
  count = 0

  @At({ cron: '* * * * * *', timezone: 'Europe/Berlin' }) // every second
  async beat() {
    this.count += 1
  }
}

@Plugin({ imports: [CronPlugin], providers: [Beats] })
export class BeatsApp {}
