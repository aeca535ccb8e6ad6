// What has been on the screen. A call of more than a glance is not allowed before all of it has.
import type { ArgumentPieces } from './argument-pieces.js'

/** Names of the blocks that have been on the screen, as `blockName` makes them. */
export type SeenBlocks = ReadonlySet<string>

export const nothingSeen: SeenBlocks = new Set()
export const blockName = (piece: number, block: number): string => `${piece}:${block}`

/** The same set where nothing is new. */
export function withSeen(before: SeenBlocks, names: readonly string[]): SeenBlocks {
  const fresh = names.filter((name) => !before.has(name))
  return fresh.length === 0 ? before : new Set([...before, ...fresh])
}

/** Whether the piece has been on the screen from its beginning to its end. */
export const isPieceSeen = (pieces: ArgumentPieces, piece: number, seen: SeenBlocks): boolean =>
  unseenIn(pieces, piece, seen) === 0

/** How many arguments have not wholly been on the screen, of those that must have. */
export function unseenPieces(pieces: ArgumentPieces, seen: SeenBlocks): number {
  if (!pieces.mustBeSeen) return 0
  return pieces.all.filter((_, index) => unseenIn(pieces, index, seen) > 0).length
}

function unseenIn({ all }: ArgumentPieces, piece: number, seen: SeenBlocks): number {
  return all[piece]?.blocks.filter((_, block) => !seen.has(blockName(piece, block))).length ?? 0
}

/** The first block that has not been on the screen. */
export function firstUnseen({ all }: ArgumentPieces, seen: SeenBlocks) {
  for (const [piece, { blocks }] of all.entries())
    for (const block of blocks.keys()) if (!seen.has(blockName(piece, block))) return { piece, block }
  return undefined
}
