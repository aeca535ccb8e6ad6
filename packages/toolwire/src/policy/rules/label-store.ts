import { withDeadline } from '../../bounds/deadline.js'
import type { Caller } from '../../tools/caller.js'
import { type HasReceived, nothingReceived } from './facts.js'
import type { ResultLabel } from './rule-set.js'

/** Labels of a call, a read or a task. While something of it can reach the caller, the labels have no end. */
export type LabelHold = {
  /** The periods begin, `afterMs` from now if a client can fetch the outcome until then. */
  end(afterMs?: number): void
  /** Takes the labels back, for a call that was not made. */
  takeBack(): void
}

/** Labels that callers have received. A store in this process answers at once, and one that replicas share may return promises. */
export type LabelStore = {
  /**
   * Tells which labels the caller has received. `labels` are those that matter: a store that knows the caller to have all of them answers
   * at once. An answer that comes later is about every label.
   */
  received(caller: string, labels: readonly string[]): HasReceived | Promise<HasReceived>
  /** The caller counts as having received the labels from now on, on every replica before a returned promise is fulfilled. */
  hold(caller: string, labels: readonly ResultLabel[]): LabelHold | Promise<LabelHold>
}

export const periodMs = { minute: 60_000, hour: 3_600_000, day: 86_400_000 } as const

/** Milliseconds that a label store may take to answer. */
const patienceMs = 5_000

/** Asks the store, unless no label matters. */
export function labelsReceivedBy(
  { id }: Caller,
  labels: readonly string[],
  store: LabelStore,
): HasReceived | Promise<HasReceived> {
  if (labels.length === 0) return nothingReceived
  const known = store.received(id, labels)
  return known instanceof Promise ? withDeadline(patienceMs, known) : known
}

/** Holds the labels. Those that are held too late, or for nothing, are taken back. */
export function holdLabels({ id }: Caller, labels: readonly ResultLabel[], store: LabelStore): LabelHold | Promise<LabelHold> {
  const holding = store.hold(id, labels)
  return holding instanceof Promise ? heldInTime(holding) : holding
}

async function heldInTime(holding: Promise<LabelHold>): Promise<LabelHold> {
  try {
    return await withDeadline(patienceMs, holding)
  } catch (thrown) {
    takeBackLater(holding)
    throw thrown
  }
}

/** Takes back what is still being held. If that fails, nothing is held. */
export function takeBackLater(holding: Promise<LabelHold>): void {
  holding.then(
    (held) => held.takeBack(),
    () => undefined,
  )
}
