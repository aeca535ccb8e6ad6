import { backoff } from '../upstreams/upstream.js'
import type { CatalogKind } from './upstream-catalog.js'

type Failing = { readonly reason: string; readonly failures: number; readonly timer: NodeJS.Timeout }

/** The lists of an upstream that could not be read. Each is read again, with growing pauses, until that succeeds. */
export class ListRetries {
  readonly #failing = new Map<CatalogKind, Failing>()
  readonly #readAgain: (kind: CatalogKind) => void

  constructor(readAgain: (kind: CatalogKind) => void) {
    this.#readAgain = readAgain
  }

  /** The reason of the last failure; undefined if the list is not failing. */
  reason(kind: CatalogKind): string | undefined {
    return this.#failing.get(kind)?.reason
  }

  schedule(kind: CatalogKind, reason: string): void {
    const failures = (this.#failing.get(kind)?.failures ?? 0) + 1
    this.clear(kind)
    const timer = setTimeout(() => this.#readAgain(kind), backoff(failures)).unref()
    this.#failing.set(kind, { reason, failures, timer })
  }

  clear(kind: CatalogKind): void {
    clearTimeout(this.#failing.get(kind)?.timer)
    this.#failing.delete(kind)
  }
}
