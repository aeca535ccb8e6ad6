import type { DiffLine } from './line-difference.js'

/** A stretch of lines; a folded one is unchanged and far from any change. */
export type DiffStretch = { readonly folded: boolean; readonly from: number; readonly lines: readonly DiffLine[] }

const near = 3

/** Splits the lines into stretches, and folds those far from any change. */
export function foldUnchanged(lines: readonly DiffLine[]): DiffStretch[] {
  const isNear = nearChange(lines)
  const stretches: { folded: boolean; from: number; lines: DiffLine[] }[] = []
  for (const [at, line] of lines.entries()) {
    const folded = !isNear[at]
    const last = stretches.at(-1)
    if (last?.folded === folded) last.lines.push(line)
    else stretches.push({ folded, from: at, lines: [line] })
  }
  // Folding one or two lines would hide them and save nothing.
  return stretches.map((one) => ({ ...one, folded: one.folded && one.lines.length > 2 }))
}

function nearChange(lines: readonly DiffLine[]): boolean[] {
  const isNear = lines.map(() => false)
  for (const [at, { kind }] of lines.entries())
    if (kind !== 'same') isNear.fill(true, Math.max(0, at - near), Math.min(lines.length, at + near + 1))
  return isNear
}
