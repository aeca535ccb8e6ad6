import type { DiffLine } from './line-difference.js'

/** Lines to show, or lines that are the same on both sides and far from any change. */
export type DiffStretch = { readonly folded: boolean; readonly from: number; readonly lines: readonly DiffLine[] }

const near = 3

/** The lines in stretches: what is far from a change can be folded. */
export function foldUnchanged(lines: readonly DiffLine[]): DiffStretch[] {
  const isNear = nearChange(lines)
  const stretches: { folded: boolean; from: number; lines: DiffLine[] }[] = []
  for (const [at, line] of lines.entries()) {
    const folded = !isNear[at]
    const last = stretches.at(-1)
    if (last?.folded === folded) last.lines.push(line)
    else stretches.push({ folded, from: at, lines: [line] })
  }
  // Where folding would save nothing, it only hides.
  return stretches.map((one) => ({ ...one, folded: one.folded && one.lines.length > 2 }))
}

function nearChange(lines: readonly DiffLine[]): boolean[] {
  const isNear = lines.map(() => false)
  for (const [at, { kind }] of lines.entries())
    if (kind !== 'same') isNear.fill(true, Math.max(0, at - near), Math.min(lines.length, at + near + 1))
  return isNear
}
