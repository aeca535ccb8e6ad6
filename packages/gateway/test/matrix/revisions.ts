// The sides of the matrix: every revision on every transport that supports it.
import { pocketRevisions, type Revision, revisions } from '../../../toolwire/src/revisions/index.js'
import { soaking } from '../../../toolwire/test/soak.js'

export const transports = ['stdio', 'HTTP', 'HTTP+SSE'] as const
export type Transport = (typeof transports)[number]

/** One side of a cell. */
export type Side = {
  readonly name: string
  readonly label: string
  readonly revision: Revision
  readonly transport: Transport
  readonly pocket: boolean
}

/** A revision with its label in the table. */
type Spoken = { readonly label: string; readonly revision: Revision; readonly pocket: boolean }

const oldestFirst = [...revisions].reverse()
const official: readonly Spoken[] = oldestFirst.map((revision) => ({ label: revision.version, revision, pocket: false }))
const pocket: readonly Spoken[] = pocketRevisions.all.map((revision) => ({ label: 'pocket', revision, pocket: true }))

/**
 * HTTP+SSE is deprecated, but servers that open with a handshake may still offer it. Other revisions cannot use it.
 * spec 2025-03-26, basic/transports#backwards-compatibility; 2026-07-28, basic/transports
 */
export const isSpokenOn = ({ style: opening }: Revision, transport: Transport): boolean =>
  transport !== 'HTTP+SSE' || opening === 'handshake'

const sidesOf = (spoken: readonly Spoken[]): Side[] =>
  spoken.flatMap((one) =>
    transports
      .filter((transport) => isSpokenOn(one.revision, transport))
      .map((transport) => ({ ...one, transport, name: `${one.label} over ${transport}` })),
  )

export const servers: readonly Side[] = sidesOf(official)
export const callers: readonly Side[] = sidesOf([...official, ...pocket])

const spokenBy = ({ revision, pocket }: Side): readonly Transport[] =>
  callers.filter((side) => side.revision === revision && side.pocket === pocket).map(({ transport }) => transport)
const nth = (side: Side): number => [...official, ...pocket].findIndex(({ label }) => label === side.label)

/** Each revision meets each revision on alternating transports. The soak and `npm run matrix` use all transports. */
export function isTried(caller: Side, server: Side): boolean {
  return (
    soaking ||
    (isTurnOf(caller, nth(caller) + nth(server)) && isTurnOf(server, nth(caller) + Math.floor(nth(caller) / 2) + nth(server)))
  )
}

/** The same selection for a caller with a fixed transport. */
export const isTriedFrom = (caller: Side, server: Side): boolean => soaking || isTurnOf(server, nth(caller) + nth(server))

const isTurnOf = (side: Side, turn: number): boolean => {
  const all = spokenBy(side)
  return all[turn % all.length] === side.transport
}

/** Combinations of revision and transport that do not exist, for the table. */
export const unspoken: readonly string[] = official.flatMap(({ label, revision }) =>
  transports.filter((transport) => !isSpokenOn(revision, transport)).map((transport) => `${label} over ${transport}`),
)

/** The name of the server in the config. */
export const idOf = ({ label, transport }: Side): string => `s${label}-${transport.replace('+', '-').toLowerCase()}`
