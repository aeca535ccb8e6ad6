// How much of the log is kept, as the operator wants it now: looked at when that changes, and once an hour.
import type { GatewayConfig } from '../../config/gateway-config.js'
import type { Store } from '../store.js'
import { StoreFailure } from '../store-failure.js'

const everyMs = 3_600_000

export class RetentionSchedule {
  readonly #audit: Store['audit']
  readonly #onTrouble: (words: string) => void
  #timer: NodeJS.Timeout | undefined
  #keep: GatewayConfig['retention'] = {}

  constructor({ audit }: Store, onTrouble: (words: string) => void) {
    this.#audit = audit
    this.#onTrouble = onTrouble
  }

  use(keep: GatewayConfig['retention']): void {
    this.#keep = keep
    this.#timer ??= setInterval(() => this.#work(), everyMs).unref()
    this.#work()
  }

  close(): void {
    clearInterval(this.#timer)
  }

  #work(): void {
    if (this.#keep.days === undefined && this.#keep.records === undefined) return
    void this.#audit.retain(this.#keep).catch((thrown: unknown) => {
      // The store's `trouble` reports failures of the disk.
      if (!(thrown instanceof StoreFailure)) this.#onTrouble(thrown instanceof Error ? thrown.message : String(thrown))
    })
  }
}
