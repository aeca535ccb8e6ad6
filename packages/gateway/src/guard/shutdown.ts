// The end of a gateway: calls that have come before it are made, later ones are refused, which is recorded like any other refusal.
import { Refusal } from 'toolwire'
import type { Policy, ToolCall } from 'toolwire/guard'

export class Shutdown {
  readonly policy: Policy = {
    name: 'leaving',
    call: (call, next) =>
      this.hasBegun && this.#late.has(call.context)
        ? Promise.reject(new Refusal('busy', stopping, { retryAfterMs: 5_000 }))
        : next(call),
  }
  readonly #late = new WeakSet<ToolCall['context']>()
  hasBegun = false
  /** The end is announced, so that nothing new is sent here; what comes all the same is still answered. */
  isAnnounced = false

  announce(): void {
    this.isAnnounced = true
  }

  begin(): void {
    this.isAnnounced = true
    this.hasBegun = true
  }

  /** Later rounds of a call belong to one that was accepted. */
  noteArrival({ context }: ToolCall): void {
    if (this.hasBegun && !context.continued) this.#late.add(context)
  }
}

const stopping = 'The gateway is being stopped; try again in a moment'
