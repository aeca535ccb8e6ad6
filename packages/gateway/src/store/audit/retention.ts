import type { AuditHead } from 'toolwire/guard'
import type { StoreHealth } from '../store-health.js'
import type { ThreadClient } from '../thread-client.js'
import type { HeadSigner } from './signed-head.js'

/** How much of the log is kept; all of it if nothing is said. The last record always is. */
export type Retention = { readonly days?: number; readonly records?: number }

type Parts = {
  readonly desk: ThreadClient
  readonly health: StoreHealth
  readonly signer: HeadSigner
  /** Where the log begins now; throws where that was not signed for it. */
  readonly from: () => Promise<AuditHead | undefined>
}

const dayMs = 86_400_000

/**
 * Drops a little at a time. Each step signs the last record that it drops, so the log can be verified after any of them. Records that
 * are not as they were written are not dropped: nobody could tell any more that they were changed.
 */
export async function applyRetention(
  { days, records }: Retention,
  { desk: threadClient, health, signer, from }: Parts,
): Promise<number> {
  const before = days === undefined ? undefined : Date.now() - days * dayMs
  const keep = { ...(records !== undefined && { records }), ...(before !== undefined && { before }) }
  let dropped = 0
  for (;;) {
    const head = await threadClient.run('cut', keep)
    if (!head) return dropped
    const verdict = await threadClient.watch('verify', { from: plain(await from()), head, until: head.sequence })
    if (!verdict.ok)
      throw new Error(
        `Record ${verdict.sequence} of the log is not as it was written, so no old records are dropped: ${verdict.why}`,
      )
    dropped += await health.of(threadClient.run('dropRecords', head, JSON.stringify(signer.sign(head, 'retention'))))
  }
}

const plain = (head: AuditHead | undefined): AuditHead | undefined => head && { sequence: head.sequence, hash: head.hash }
