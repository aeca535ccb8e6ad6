// Signed heads of the log go to a witness: at the start, on an interval, and at the end.

import { oneAtATime } from '../../bounds/one-at-a-time.js'
import type { GatewayConfig } from '../../config/gateway-config.js'
import { parseWitnessLocation } from '../../config/witness-location.js'
import type { StoredAudit } from '../audit/stored-audit.js'
import { writeHead } from './write-head.js'

type Parts = {
  readonly audit: Pick<StoredAudit, 'signHead'>
  /** Told once when the witness does not take heads; undefined when it does again. */
  readonly onTrouble: (words: string | undefined) => void
}

export class WitnessSchedule {
  readonly #parts: Parts
  readonly #inTurn = oneAtATime()
  #witness: GatewayConfig['witness']
  #timer: NodeJS.Timeout | undefined
  #kept: string | undefined
  #trouble: string | undefined

  constructor(parts: Parts) {
    this.#parts = parts
  }

  use(witness: GatewayConfig['witness']): void {
    if (witness?.to !== this.#witness?.to) this.#kept = undefined
    this.#witness = witness
    clearInterval(this.#timer)
    if (!witness) return
    this.#timer = setInterval(() => void this.#keep(), witness.everyMs).unref()
    void this.#keep()
  }

  /** Settles when the witness has the last head, or does not take it. */
  async close(): Promise<void> {
    clearInterval(this.#timer)
    await this.#keep()
  }

  #keep(): Promise<void> {
    return this.#inTurn(async () => {
      const head = this.#witness && this.#parts.audit.signHead()
      if (!this.#witness || !head || head.hash === this.#kept) return
      try {
        await writeHead(head, parseWitnessLocation(this.#witness.to, '/', '/'))
        this.#kept = head.hash
        this.#tell(undefined)
      } catch (thrown) {
        this.#tell(thrown instanceof Error ? thrown.message : String(thrown))
      }
    })
  }

  #tell(trouble: string | undefined): void {
    if (trouble !== this.#trouble) this.#parts.onTrouble(trouble)
    this.#trouble = trouble
  }
}
