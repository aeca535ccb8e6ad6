import { Refusal } from '../tools/refusal.js'
import type { ToolCall } from '../tools/tool.js'
import { definitionHash, definitionOf } from './definition-hash.js'
import { changesBetween, type Drift } from './drift.js'
import { frozenCopy } from './frozen.js'
import { type Pin, type PinStore, pinsHere, placeOf } from './pin-store.js'
import type { Policy } from './policy.js'
import { within } from './within.js'

/** How definitions are pinned. */
export type PinOptions = {
  store?: PinStore
  /** Told once of every definition that is not the accepted one. */
  onDrift?: (drift: Drift) => void | Promise<void>
  /** What becomes of a tool seen for the first time: its definition is accepted, or refused until someone accepts it. */
  unknown?: 'accept' | 'refuse'
}

/** The policy, and what to do about definitions that are not the accepted ones. */
export type Pinning = Policy & {
  /** The tools whose calls are refused. */
  drifted(): readonly Drift[]
  /** Makes the definition with this hash, which must have been seen, the one that is accepted. */
  accept(server: string | undefined, tool: string, hash: string): Promise<void>
}

const patienceMs = 5_000

/** Refuses calls to a tool whose definition has changed since it was accepted: approval was for another tool. */
export function pin({ store = pinsHere(), onDrift, unknown = 'accept' }: PinOptions = {}): Pinning {
  const quarantine = new Map<string, Drift>()
  const firstSights = new Map<string, Promise<Pin>>()

  /** Two first calls at once must not each accept a definition of their own. */
  function firstSight(call: ToolCall, hash: string): Promise<Pin> {
    const place = placeOf(call.server, call.tool.name)
    const sight = firstSights.get(place) ?? record(store, pinOf(call, hash)).finally(() => firstSights.delete(place))
    firstSights.set(place, sight)
    return sight
  }

  async function acceptedFor(call: ToolCall, hash: string): Promise<Pin | undefined> {
    const known = await store.get(call.server, call.tool.name)
    return known ?? (unknown === 'accept' ? firstSight(call, hash) : undefined)
  }

  async function refuse(call: ToolCall, hash: string, accepted: Pin | undefined): Promise<never> {
    const place = placeOf(call.server, call.tool.name)
    if (quarantine.get(place)?.hash !== hash) {
      const drift = driftOf(call, hash, accepted)
      await within(patienceMs, onDrift?.(drift))
      quarantine.set(place, drift)
    }
    throw changed(call, accepted)
  }

  return {
    name: 'pin',
    async call(call, next) {
      try {
        const hash = await definitionHash(call.tool)
        const accepted = await within(patienceMs, acceptedFor(call, hash))
        if (accepted?.hash !== hash) await refuse(call, hash, accepted)
      } catch (thrown) {
        throw thrown instanceof Refusal ? thrown : unchecked(call, thrown)
      }
      if (quarantine.size > 0) quarantine.delete(placeOf(call.server, call.tool.name))
      return next(call)
    },
    drifted: () => [...quarantine.values()],
    async accept(server, tool, hash) {
      const drift = quarantine.get(placeOf(server, tool))
      if (drift?.hash !== hash) throw new Error(`No definition of "${tool}" with this hash waits to be accepted`)
      await store.set({ server, tool, hash, definition: drift.after, at: Date.now() })
      quarantine.delete(placeOf(server, tool))
    },
  }
}

async function record(store: PinStore, seen: Pin): Promise<Pin> {
  const known = await store.get(seen.server, seen.tool)
  if (known) return known
  await store.set(seen)
  return seen
}

const pinOf = ({ server, tool }: ToolCall, hash: string): Pin => ({
  server,
  tool: tool.name,
  hash,
  definition: frozenCopy(definitionOf(tool)),
  at: Date.now(),
})

function driftOf({ server, tool }: ToolCall, hash: string, accepted: Pin | undefined): Drift {
  const before = accepted?.definition
  const after = frozenCopy(definitionOf(tool))
  return { server, tool: tool.name, before, after, hash, changes: changesBetween(before, after) }
}

function changed({ tool }: ToolCall, accepted: Pin | undefined): Refusal {
  const what = accepted ? 'is no longer the one that was accepted' : 'has not been accepted yet'
  return new Refusal(
    'definition-changed',
    `The definition of ${tool.name} ${what}. The user must accept it before it can be called.`,
  )
}

const unchecked = ({ tool }: ToolCall, cause: unknown): Refusal =>
  new Refusal('definition-changed', `Whether the definition of ${tool.name} is the accepted one could not be found out.`, {
    cause,
  })
