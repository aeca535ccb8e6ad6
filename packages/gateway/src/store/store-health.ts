import { StoreFailure } from './store-failure.js'
import type { ThreadClient } from './thread-client.js'

const patienceMs = 5_000
const probeEveryMs = 1_000

/** How the disk is doing, as told by what is written to it. When something has failed it is tried now and then whether it works again. */
export class StoreHealth {
  readonly #threadClient: ThreadClient
  #failed: unknown
  #probe: NodeJS.Timeout | undefined

  constructor(threadClient: ThreadClient) {
    this.#threadClient = threadClient
  }

  /** Why records cannot be written; undefined when all is well. */
  get trouble(): unknown {
    if (this.#threadClient.broken) return this.#threadClient.broken
    if (this.#failed !== undefined) return this.#failed
    const { silentMs } = this.#threadClient
    if (silentMs < patienceMs) return undefined
    return new StoreFailure(`The disk has not answered for ${Math.round(silentMs / 1_000)} s: calls are refused until it does`)
  }

  /** Learns from what becomes of a write. */
  async of<T>(write: Promise<T>): Promise<T> {
    try {
      const written = await write
      this.#failed = undefined
      return written
    } catch (thrown) {
      if (!(thrown instanceof StoreFailure && thrown.isRefusal)) this.#failed = thrown
      if (thrown instanceof StoreFailure && thrown.isTransient) this.#probeLater()
      throw thrown
    }
  }

  stop(): void {
    clearTimeout(this.#probe)
    this.#probe = undefined
  }

  #probeLater(): void {
    if (this.#probe || this.#threadClient.broken) return
    this.#probe = setTimeout(() => {
      this.#probe = undefined
      // What fails here is told by `trouble`, and tried again.
      this.#threadClient.write('probe').catch(() => undefined)
    }, probeEveryMs).unref()
  }
}
