import { Injectable, LOGGER, type Logger } from 'alcove'

export interface Mail {
  to: string
  subject: string
  text: string
}

/** Sends mails. Here they are only logged: call your mail service instead. */
@Injectable()
export class Mailer {
  static readonly inject = [LOGGER] as const
  constructor(private readonly log: Logger) {}

  async send({ to, subject }: Mail): Promise<void> {
    // A log is no place for addresses.
    this.log.info({ domain: to.split('@')[1] }, `mail: ${subject}`)
  }
}
