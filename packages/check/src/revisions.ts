// The published revisions, with the differences that matter to a check.

export type Revision = {
  readonly version: string
  /** A session opens with `initialize`; without it every request describes itself. */
  readonly handshake: boolean
  /** Several messages may be sent in one array. */
  readonly batches: boolean
  readonly blocks: readonly string[]
}

const firstBlocks = ['text', 'image', 'resource']
const audioBlocks = [...firstBlocks, 'audio']
const linkBlocks = [...audioBlocks, 'resource_link']
const handshakeDefaults = { handshake: true, batches: false, blocks: linkBlocks }

export const first: Revision = { ...handshakeDefaults, version: '2024-11-05', blocks: firstBlocks }
export const streamable: Revision = { ...handshakeDefaults, version: '2025-03-26', batches: true, blocks: audioBlocks }
export const structured: Revision = { ...handshakeDefaults, version: '2025-06-18' }
export const dialects: Revision = { ...handshakeDefaults, version: '2025-11-25' }
export const perRequest: Revision = { ...handshakeDefaults, version: '2026-07-28', handshake: false }

/** Oldest first. */
export const allRevisions: readonly Revision[] = [first, streamable, structured, dialects, perRequest]

export const every = allRevisions
export const handshakeRevisions = allRevisions.filter(({ handshake }) => handshake)
export const since = (revision: Revision): readonly Revision[] => allRevisions.slice(allRevisions.indexOf(revision))
export const until = (revision: Revision): readonly Revision[] => allRevisions.slice(0, allRevisions.indexOf(revision) + 1)
export const between = (from: Revision, to: Revision): readonly Revision[] => since(from).filter((one) => until(to).includes(one))
export const findRevision = (version: string): Revision | undefined =>
  allRevisions.find((revision) => revision.version === version)
