// The published editions, and what of them decides how a server is tried.

/** One edition of the specification, as a check speaks it. */
export type Edition = {
  readonly version: string
  /** Opened by `initialize`; else every request describes itself. */
  readonly handshake: boolean
  /** Methods whose capability must have been declared. */
  readonly batches: boolean
  readonly blocks: readonly string[]
}

const atFirst = ['text', 'image', 'resource']
const withAudio = [...atFirst, 'audio']
const withLinks = [...withAudio, 'resource_link']
const plain = { handshake: true, batches: false, blocks: withLinks }

export const first: Edition = { ...plain, version: '2024-11-05', blocks: atFirst }
export const streamable: Edition = { ...plain, version: '2025-03-26', batches: true, blocks: withAudio }
export const structured: Edition = { ...plain, version: '2025-06-18' }
export const dialects: Edition = { ...plain, version: '2025-11-25' }
export const stateless: Edition = { ...plain, version: '2026-07-28', handshake: false }

/** Oldest first. */
export const editions: readonly Edition[] = [first, streamable, structured, dialects, stateless]

export const every = editions
export const handshakes = editions.filter(({ handshake }) => handshake)
export const since = (edition: Edition): readonly Edition[] => editions.slice(editions.indexOf(edition))
export const until = (edition: Edition): readonly Edition[] => editions.slice(0, editions.indexOf(edition) + 1)
export const between = (from: Edition, to: Edition): readonly Edition[] => since(from).filter((one) => until(to).includes(one))
export const findEdition = (version: string): Edition | undefined => editions.find((edition) => edition.version === version)
