// Sends signed heads of the log to a witness: at the start, on an interval, and at the end.

import { repeatedTask } from '../../bounds/one-at-a-time.js'
import type { GatewayConfig } from '../../config/gateway-config.js'
import { parseWitnessLocation } from '../../config/witness-location.js'
import type { StoredAudit } from '../audit/stored-audit.js'
import { writeHead } from './write-head.js'

/** Calls `onTrouble` once when the witness does not take heads, and with undefined when it does again. */
export function witnessSchedule(audit: Pick<StoredAudit, 'signHead'>, onTrouble: (words: string | undefined) => void) {
  let witness: GatewayConfig['witness']
  let timer: NodeJS.Timeout | undefined
  let kept: string | undefined
  let trouble: string | undefined

  const keep = repeatedTask(async () => {
    const head = witness && audit.signHead()
    if (!witness || !head || head.hash === kept) return
    const { to } = witness
    try {
      await writeHead(head, parseWitnessLocation(to, '/', '/'))
      // The config may name another witness meanwhile, which does not have this head yet.
      if (witness?.to === to) kept = head.hash
      tell(undefined)
    } catch (thrown) {
      tell(thrown instanceof Error ? thrown.message : String(thrown))
    }
  })

  function tell(now: string | undefined): void {
    if (now !== trouble) onTrouble(now)
    trouble = now
  }

  return {
    use(wanted: GatewayConfig['witness']): void {
      if (wanted?.to !== witness?.to) kept = undefined
      witness = wanted
      clearInterval(timer)
      if (!wanted) return
      timer = setInterval(keep.ifIdle, wanted.everyMs).unref()
      void keep.now()
    },
    /** Settles when the witness has taken or refused the last head. */
    async close(): Promise<void> {
      clearInterval(timer)
      await keep.now()
    },
  }
}
