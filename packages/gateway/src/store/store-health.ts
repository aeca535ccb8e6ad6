import { StoreFailure } from './store-failure.js'
import type { ThreadClient } from './thread-client.js'

const patienceMs = 5_000
const probeEveryMs = 1_000

/** Derives the health of the disk from writes. After a failure, a probe is written from time to time. */
export function storeHealth(client: ThreadClient) {
  let failed: unknown
  let probe: NodeJS.Timeout | undefined

  function probeLater(): void {
    if (probe || client.broken) return
    probe = setTimeout(() => {
      probe = undefined
      // `trouble` reports a failed probe, and it is tried again.
      client.write('probe').catch(() => undefined)
    }, probeEveryMs).unref()
  }

  return {
    /** The reason why records cannot be written; undefined if they can. */
    get trouble(): unknown {
      if (client.broken) return client.broken
      if (failed !== undefined) return failed
      const { silentMs } = client
      if (silentMs < patienceMs) return undefined
      return new StoreFailure(`The disk has not answered for ${Math.round(silentMs / 1_000)} s: calls are refused until it does`)
    },
    /** Notes the result of a write. */
    async of<T>(write: Promise<T>): Promise<T> {
      try {
        const written = await write
        failed = undefined
        return written
      } catch (thrown) {
        if (!(thrown instanceof StoreFailure && thrown.isRefusal)) failed = thrown
        if (thrown instanceof StoreFailure && thrown.isTransient) probeLater()
        throw thrown
      }
    },
    stop(): void {
      clearTimeout(probe)
      probe = undefined
    },
  }
}
