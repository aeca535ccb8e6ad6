// The blocks that have been on the screen. A long call cannot be approved before all of its blocks have.
import type { ArgumentPieces } from './argument-pieces.js'

/** Names of blocks that have been on the screen, made by `blockName`. */
export type SeenBlocks = ReadonlySet<string>

export const nothingSeen: SeenBlocks = new Set()
export const blockName = (piece: number, block: number): string => `${piece}:${block}`

/** Adds names; returns the same set if all are known. */
export function withSeen(before: SeenBlocks, names: readonly string[]): SeenBlocks {
  const fresh = names.filter((name) => !before.has(name))
  return fresh.length === 0 ? before : new Set([...before, ...fresh])
}

/** Has the whole argument been on the screen? */
export const isPieceSeen = (pieces: ArgumentPieces, piece: number, seen: SeenBlocks): boolean =>
  unseenIn(pieces, piece, seen) === 0

/** The number of arguments that must have been on the screen but have not. */
export function unseenPieces(pieces: ArgumentPieces, seen: SeenBlocks): number {
  if (!pieces.mustBeSeen) return 0
  return pieces.all.filter((_, index) => unseenIn(pieces, index, seen) > 0).length
}

function unseenIn({ all }: ArgumentPieces, piece: number, seen: SeenBlocks): number {
  return all[piece]?.blocks.filter((_, block) => !seen.has(blockName(piece, block))).length ?? 0
}

export function firstUnseen({ all }: ArgumentPieces, seen: SeenBlocks) {
  for (const [piece, { blocks }] of all.entries())
    for (const block of blocks.keys()) if (!seen.has(blockName(piece, block))) return { piece, block }
  return undefined
}
