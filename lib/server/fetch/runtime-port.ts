/** A port that the runtime has opened for a server (`Bun.serve`, `Deno.serve`), and that passes its requests to `server.fetch`. */
import { errorCodes } from '../../errors/codes.js'
import type { RequestSource } from '../../http/web/socket.js'

export interface RuntimePort {
  /** The address for clients: `http://localhost:3000`. */
  readonly origin: string
  /** Stops accepting connections. The promise resolves when the open connections have ended. */
  stop(): Promise<unknown>
  /** Ends all connections at once. */
  cut(): unknown
}

/** Opens a port of the runtime, and returns it. */
export type OpenPort = () => RuntimePort | Promise<RuntimePort>

/** Serves a request of a runtime. @param info the second argument that the runtime passes along with the request */
export type FetchFrom = <Reply>(source: RequestSource<Reply>, request: Request, info?: unknown) => Promise<Reply>

/** ms that a runtime may take to end the connections that are cut. */
const MAX_CUT_MS = 500

/** The ports of a server that its runtime has opened, in addition to the ports of Node. */
export class RuntimePorts {
  readonly #ports: RuntimePort[] = []
  #stopWaiting: (() => void) | undefined

  get size(): number {
    return this.#ports.length
  }

  /** The address of the first port; `undefined` if there is no port. */
  get origin(): string | undefined {
    return this.#ports[0]?.origin
  }

  /**
   * Adds a port that the runtime has opened.
   * @throws ALC_ERR_REOPENED_CLOSE_SERVER if the server was closed while the port was opened, after the port is closed
   */
  async add(port: RuntimePort, isClosed: boolean): Promise<void> {
    if (!isClosed) return void this.#ports.push(port)
    port.cut()
    await port.stop()
    throw new errorCodes.ALC_ERR_REOPENED_CLOSE_SERVER()
  }

  /**
   * Stops all ports, and calls back when they have stopped. Errors of the runtime are ignored, so that they do not keep the server open.
   */
  stop(done: () => void): void {
    const stopped = Promise.allSettled(this.#ports.map((port) => port.stop()))
    const given = new Promise<void>((resolve) => (this.#stopWaiting = resolve))
    void Promise.race([stopped, given]).then(done)
  }

  /** Ends all connections at once. {@link stop} then waits at most {@link MAX_CUT_MS} for the runtime. */
  cut(): void {
    for (const port of this.#ports) port.cut()
    setTimeout(() => this.#stopWaiting?.(), MAX_CUT_MS).unref()
  }
}
