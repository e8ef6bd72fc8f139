/** The behaviours that differ, by title, with what an entry does instead. A difference that is gone fails the run of its entry. */
export const differences: Readonly<Record<string, Readonly<Record<string, string>>>> = {
  'a client that cancels the body ends the source of an endless stream': { inject: 'light-my-request does not tell the server' },
  'a client that leaves aborts the signal, and onRequestAbort runs': { inject: 'the signal is aborted, but onResponse runs' },
  'a request tells its method, URL, host and protocol': { inject: '`raw.complete` is undefined' },
  'a server that closes tells handlers that would go on for ever': { inject: 'closing does not wait for injected requests' },
  'the text of the status is sent': { bun: 'Bun sends the standard text', deno: 'Deno sends the standard text' },
  'a stream has no length': { bun: 'Bun has read a short stream before it sends the head, and states its length' },
  'the length of a body is stated': { fetch: 'a `Request` has no length unless its headers state one' },
  'a header may have bytes of Latin-1': { sockets: 'Node sends the bytes of UTF-8' },
}
