import type { FindPassages, Passage } from '../../text/search/passages.js'
import { visibleLine } from '../../text/visible.js'

/** A custom kind of secret: every match is one. The pattern is tried on every text of every result, so it must be fast. */
export type SecretKind = { readonly kind: string; readonly pattern: RegExp }

const kindName = /^[a-z0-9][a-z0-9-]{0,63}$/
const notices = /\[secret removed: [a-z0-9-]{1,64}\]/g

/** Yields to other work after so many characters. */
const stepSize = 32_768
/** Limit of separate passages in a text, as for the built-in kinds. Beyond it, the others become one, from the first to the last. */
const mostFound = 32_768

/** Finds the operator's own kinds of secrets, except inside of notices about removed content. */
export function findCustomSecrets(own: readonly SecretKind[]): FindPassages {
  const kinds = own.map(({ kind, pattern }) => ({ kind: checkedName(kind), pattern: globalCopy(pattern) }))
  return function* find(text) {
    const found: Passage[] = []
    let rest: { start: number; end: number } | undefined
    let pausedAt = 0
    const isDue = (at: number): boolean => {
      if (at - pausedAt <= stepSize) return false
      pausedAt = at
      return true
    }
    for (const [order, { kind, pattern }] of kinds.entries()) {
      // Each kind reads the whole text.
      const before = order * text.length
      for (const { start: begin, piece } of pieces(text)) {
        if (isDue(before + begin)) yield
        for (const { 0: match, index } of piece.matchAll(pattern)) {
          const start = begin + index
          if (isDue(before + start)) yield
          if (match === '') continue
          const end = start + match.length
          if (rest) {
            rest.start = Math.min(rest.start, start)
            rest.end = Math.max(rest.end, end)
            continue
          }
          const passage = { rule: 'secrets', kind, start, end } as const
          if (found.push(passage) > mostFound) rest = passage
        }
      }
    }
    return found
  }
}

function checkedName(kind: string): string {
  if (kindName.test(kind)) return kind
  throw new TypeError(
    `The kind of a secret must consist of lowercase letters, digits and hyphens, such as order-number; not ${visibleLine(kind)}`,
  )
}

/** A copy, so that other uses of the operator's pattern have no effect here. */
const globalCopy = ({ source, flags }: RegExp): RegExp => new RegExp(source, `${flags.replace(/[gy]/g, '')}g`)

function* pieces(text: string): Generator<{ readonly start: number; readonly piece: string }> {
  let start = 0
  for (const { index, 0: notice } of text.matchAll(notices)) {
    yield { start, piece: text.slice(start, index) }
    start = index + notice.length
  }
  yield { start, piece: text.slice(start) }
}
