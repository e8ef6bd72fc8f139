/** What an entry does instead, if it is not tried: it would take for ever. */
export interface NotRun {
  readonly notRun: string
}

const whole: NotRun = { notRun: 'a reply is sent when it is complete' }
const stopped = 'workerd learns of it only when it sends something, and then stops all code of the request'
const noClose: NotRun = { notRun: 'nothing closes a worker' }
const noClient: NotRun = { notRun: 'Lambda does not tell that a client has left' }

/** The behaviours that differ, by title, with what an entry does instead. A difference that is gone fails the run of its entry. */
export const differences: Readonly<Record<string, Readonly<Record<string, string | NotRun>>>> = {
  'a client that cancels the body ends the source of an endless stream': {
    workerd: stopped,
    lambda: whole,
    inject: 'light-my-request does not tell the server',
  },
  'a client that leaves aborts the signal, and onRequestAbort runs': {
    workerd: stopped,
    lambda: noClient,
    inject: 'the signal is aborted, but onResponse runs',
  },
  'a request tells its method, URL, host and protocol': { inject: '`raw.complete` is undefined' },
  'a server that closes answers the requests in flight': { workerd: noClose },
  'a server that has closed serves no further request': { workerd: noClose },
  'a server that closes tells handlers that would go on for ever': {
    workerd: noClose,
    inject: { notRun: 'closing does not wait for injected requests' },
  },
  'a client that leaves ends the source of an endless stream': { workerd: stopped, lambda: whole },
  'a scope learns that its client has left': { workerd: stopped, lambda: noClient },
  'the first part of a stream arrives before the last one is made': { lambda: whole },
  'the text of the status is sent': {
    lambda: 'the gateway sends the standard text',
    bun: 'Bun sends the standard text',
    deno: 'Deno sends the standard text',
  },
  'a stream has no length': { bun: 'Bun has read a short stream before it sends the head, and states its length' },
  'the length of a body is stated': { fetch: 'a `Request` has no length unless its headers state one' },
  'a stream that breaks breaks the body': { workerd: 'workerd ends the body as if it were complete' },
  'a stream of known length states it': { workerd: 'a stream has no length' },
  'a header may have bytes of Latin-1': { sockets: 'Node sends the bytes of UTF-8', workerd: 'workerd sends the bytes of UTF-8' },
}
