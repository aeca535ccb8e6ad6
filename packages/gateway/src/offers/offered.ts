// From what upstreams have to what is offered: names given, what may not be offered left out, and in an order of their own.
import type { Upstream } from '../upstreams/upstream.js'
import type { Holdings, Kind } from './holdings.js'
import type { OnProgress } from './overheard.js'
import type { ParkingLot } from './parking-lot.js'

/** Something that an upstream has and that is offered to nobody, and why. */
export type Withheld = { readonly upstream: string; readonly kind: Kind; readonly name: string; readonly why: string }

/** One thing that could be offered. */
export type Candidate<Definition> = {
  readonly upstream: Upstream
  readonly name: string
  readonly exposed: string
  readonly definition: Definition
}

export type Offered<Definition> = {
  readonly entries: readonly (readonly [name: string, definition: Definition])[]
  readonly withheld: readonly Withheld[]
}

/** Finds out why the tools of some upstreams are to be offered to nobody. */
export type HeldBack = (all: readonly Holdings[]) => ReadonlyMap<string, string>

/** What the makers of definitions need besides the thing itself. */
export type Making = {
  readonly lot: ParkingLot
  /** Which gateway this is. */
  readonly here: string
  readonly wanted: (exposed: string) => boolean
  /** Why the tools of upstreams are kept back, by their ids. */
  readonly heldBack: HeldBack
  readonly onProgress: OnProgress | undefined
}

/** In order of their names, whichever upstream answered first. Two that want one name: the upstream that stands first in the configuration has it. */
export function settle<D>(candidates: readonly Candidate<D>[], kind: Kind): Offered<D> {
  const taken = new Map<string, Candidate<D>>()
  const withheld: Withheld[] = []
  for (const candidate of candidates) {
    const holder = taken.get(candidate.exposed)
    if (!holder) taken.set(candidate.exposed, candidate)
    else if (holder.upstream !== candidate.upstream || holder.name !== candidate.name)
      withheld.push({
        upstream: candidate.upstream.id,
        kind,
        name: candidate.name,
        why: `${holder.upstream.id} has ${candidate.exposed} already`,
      })
  }
  const entries = [...taken].map(([exposed, { definition }]) => [exposed, definition] as const)
  return { entries: entries.sort(([one], [other]) => (one < other ? -1 : 1)), withheld }
}
