import { Injectable, LOGGER, type Logger } from 'alcove'

/** Sends mails. Here they are only logged: call your mail service instead. */
@Injectable()
export class Mailer {
  static readonly inject = [LOGGER] as const
  constructor(private readonly log: Logger) {}

  async send(to: string, subject: string): Promise<void> {
    // A log is no place for addresses.
    this.log.info({ domain: to.split('@')[1] }, `mail: ${subject}`)
  }
}
