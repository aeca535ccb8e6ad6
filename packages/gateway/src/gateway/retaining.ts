// How much of the log is kept, as the operator wants it now: looked at when that changes, and once an hour.
import type { GatewayConfig } from '../config/config.js'
import type { Store } from '../store/store.js'

const everyMs = 3_600_000

export class Retaining {
  readonly #audit: Store['audit']
  readonly #timer: NodeJS.Timeout
  #keep: GatewayConfig['retention'] = {}

  constructor({ audit }: Store) {
    this.#audit = audit
    this.#timer = setInterval(() => this.#work(), everyMs).unref()
  }

  use(keep: GatewayConfig['retention']): void {
    this.#keep = keep
    this.#work()
  }

  close(): void {
    clearInterval(this.#timer)
  }

  #work(): void {
    if (this.#keep.days === undefined && this.#keep.records === undefined) return
    // Whatever is wrong with the disk is told by the store's `trouble`.
    void this.#audit.retain(this.#keep).catch(() => undefined)
  }
}
