import { uptimeNow } from '../bounds/uptime-clock.js'
import { builtFile } from '../config/built-file.js'
import { openLocalAudit } from './audit/local-audit.js'
import { openLogSigner } from './audit/log-signer.js'
import type { Retention } from './audit/retention.js'
import { prepareDataDirectory } from './data-directory.js'
import { memoryMirror } from './mirrored/memory-mirror.js'
import { storedTickets } from './mirrored/spent-tickets.js'
import { type GivenKeys, vaultKeyIn } from './secrets/gateway-keys.js'
import type { Store } from './store.js'
import { storeParts } from './store-parts.js'
import { ThreadClient } from './thread-client.js'

export type StoreOptions = GivenKeys & {
  /** Limits of the log, applied at the start and once an hour. */
  readonly retention?: Retention
  readonly onNote?: (words: string) => void
  /** The start file of the thread with the database. */
  readonly worker?: URL
  /** Milliseconds of a monotonic clock. */
  readonly now?: () => number
}

export const warnOperator = (words: string): void => process.emitWarning(words)

/** Opens the data directory for this process alone. */
export async function openStore(directory: string, options: StoreOptions = {}): Promise<Store> {
  const { now = uptimeNow, onNote = warnOperator, retention } = options
  const thread = await openThread(directory, options)
  try {
    if (thread.note !== undefined) onNote(thread.note)
    const secret = await vaultKeyIn(directory, options)
    const signer = await openLogSigner(thread, directory, options)
    const { audit, close } = await openLocalAudit(thread, { directory, signer, onNote, ...(retention && { retention }) })
    const parts = await storeParts(thread, { secret, now, onNote })
    return {
      ...parts,
      audit,
      spentTickets: storedTickets(await memoryMirror<number>('tickets', thread, { keysAreUnique: true }), now),
      get trouble() {
        return thread.health.trouble
      },
      async close() {
        parts.approvals.close()
        await close()
        thread.health.stop()
        await thread.close()
      },
    }
  } catch (thrown) {
    await thread.close()
    throw thrown
  }
}

export function openThread(directory: string, { worker, now = uptimeNow }: StoreOptions): Promise<ThreadClient> {
  const file = prepareDataDirectory(directory)
  const start = { directory, file, wall: Date.now() }
  return ThreadClient.open(worker ?? builtFile('store-worker.js', 'store-worker.js'), start, now)
}
