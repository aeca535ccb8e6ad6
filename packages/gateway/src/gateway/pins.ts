// Definitions that were accepted, those that wait, and those that nobody wants to be asked about again.
import type { Drift, Pin } from 'toolwire/guard'
import type { Definition, PinsView } from '../door/control.js'
import type { Events } from '../door/events.js'
import type { Store } from '../store/store.js'
import { findingsIn } from './held-back.js'
import type { Pinning } from './pinning.js'

type Parts = { readonly store: Store; readonly events: Events; readonly pinning: () => Pinning | undefined }

export class Pins {
  readonly #parts: Parts

  constructor(parts: Parts) {
    this.#parts = parts
  }

  /** Those that nobody has refused either. */
  get waiting(): readonly Drift[] {
    return (this.#parts.pinning()?.waiting ?? []).filter((drift) => !this.#refusal(drift))
  }

  waits({ server, tool, hash }: Definition): boolean {
    return this.waiting.some((drift) => drift.server === server && drift.tool === tool && drift.hash === hash)
  }

  async view(): Promise<PinsView> {
    const { store, pinning } = this.#parts
    const drifts = pinning()?.waiting ?? []
    const { waiting } = this
    return {
      accepted: (await store.pins.list()).map((pin) => ({ ...pin, ...this.accepted(pin) })),
      waiting,
      findings: findingsIn(waiting),
      refused: drifts.flatMap((drift) => {
        const refusal = this.#refusal(drift)
        return refusal ? [{ ...drift, refusedAt: refusal.at, by: refusal.by }] : []
      }),
    }
  }

  /** When this was accepted, and by whom; nobody where its server was new. */
  accepted({ server = '', tool, hash, at }: Pin): { readonly at: number; readonly by?: string } {
    const mark = this.#parts.store.marks.get('accepted', { server, tool })
    return mark?.hash === hash ? { at: mark.at, by: mark.by } : { at }
  }

  async accept({ server, tool, hash }: Definition, by: string): Promise<void> {
    const { store, events, pinning } = this.#parts
    await pinning()?.accept(server, tool, hash)
    await store.marks.set('accepted', { server, tool }, { hash, at: Date.now(), by })
    await store.marks.drop('refused', { server, tool })
    events.add('pin', { what: 'accepted', server, tool, hash, by })
  }

  /** It stays where it is, and is not asked about any more; another definition of the tool is. */
  async refuse({ server, tool, hash }: Definition, by: string): Promise<void> {
    const { store, events } = this.#parts
    await store.marks.set('refused', { server, tool }, { hash, at: Date.now(), by })
    events.add('pin', { what: 'refused', server, tool, hash, by })
  }

  #refusal({ server = '', tool, hash }: Drift) {
    const mark = this.#parts.store.marks.get('refused', { server, tool })
    return mark?.hash === hash ? mark : undefined
  }
}
