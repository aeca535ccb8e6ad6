// Who talks to whom: every revision, on every transport that it can be spoken on.
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

/** A revision as the rows and columns of the table name it. */
type Spoken = { readonly label: string; readonly revision: Revision; readonly pocket: boolean }

const oldestFirst = [...revisions].reverse()
const official: readonly Spoken[] = oldestFirst.map((revision) => ({ label: revision.version, revision, pocket: false }))
const pocket: readonly Spoken[] = pocketRevisions.all.map((revision) => ({ label: 'pocket', revision, pocket: true }))

/**
 * HTTP+SSE was withdrawn, but stays a way to reach whatever is opened by a handshake; what has none cannot be spoken there.
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

/** Each revision meets each revision, on transports that take turns; the soak and `npm run matrix` try them on all. */
export function isTried(caller: Side, server: Side): boolean {
  return (
    soaking ||
    (isTurnOf(caller, nth(caller) + nth(server)) && isTurnOf(server, nth(caller) + Math.floor(nth(caller) / 2) + nth(server)))
  )
}

/** The same where the transport of the caller is always one. */
export const isTriedFrom = (caller: Side, server: Side): boolean => soaking || isTurnOf(server, nth(caller) + nth(server))

const isTurnOf = (side: Side, turn: number): boolean => {
  const all = spokenBy(side)
  return all[turn % all.length] === side.transport
}

/** What cannot be a cell, for the table. */
export const unspoken: readonly string[] = official.flatMap(({ label, revision }) =>
  transports.filter((transport) => !isSpokenOn(revision, transport)).map((transport) => `${label} over ${transport}`),
)

/** What the operator calls the server. */
export const idOf = ({ label, transport }: Side): string => `s${label}-${transport.replace('+', '-').toLowerCase()}`
