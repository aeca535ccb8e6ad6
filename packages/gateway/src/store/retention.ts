import type { Desk } from './desk.js'
import type { Health } from './health.js'
import type { Signer } from './signed-head.js'

/** How much of the log is kept; all of it if nothing is said. The last record always is. */
export type Retention = { readonly days?: number; readonly records?: number }

type Parts = { readonly desk: Desk; readonly health: Health; readonly signer: Signer }

const dayMs = 86_400_000

/** Drops a little at a time. Each step signs the last record that it drops, so the log can be verified after any of them. */
export async function retain({ days, records }: Retention, { desk, health, signer }: Parts): Promise<number> {
  const before = days === undefined ? undefined : Date.now() - days * dayMs
  const keep = { ...(records !== undefined && { records }), ...(before !== undefined && { before }) }
  let dropped = 0
  for (;;) {
    const head = await desk.ask('cut', keep)
    if (!head) return dropped
    dropped += await health.of(desk.ask('dropRecords', head, JSON.stringify(signer.sign(head))))
  }
}
