import type { Passage } from '../../text/search/passages.js'
import { visibleLine } from '../../text/visible.js'

/** A custom kind of secret: every match is one. The pattern is tried on every text of every result, so it must be fast. */
export type SecretKind = { readonly kind: string; readonly pattern: RegExp }

const kindName = /^[a-z0-9][a-z0-9-]{0,63}$/
const notices = /\[secret removed: [a-z0-9-]{1,64}\]/g

/** Finds the operator's own kinds of secrets, except inside of notices about removed content. */
export function findCustomSecrets(own: readonly SecretKind[]): (text: string) => Passage[] {
  const kinds = own.map(({ kind, pattern }) => ({ kind: checkedName(kind), pattern: globalCopy(pattern) }))
  return (text) =>
    pieces(text).flatMap(({ start: begin, piece }) =>
      kinds.flatMap(({ kind, pattern }) => {
        const found = [...piece.matchAll(pattern)].filter(([match]) => match.length > 0)
        const places = found.map(({ index, 0: match }) => ({ start: begin + index, end: begin + index + match.length }))
        return places.map((place): Passage => ({ rule: 'secrets', kind, ...place }))
      }),
    )
}

function checkedName(kind: string): string {
  if (kindName.test(kind)) return kind
  throw new TypeError(
    `The kind of a secret must consist of lowercase letters, digits and hyphens, such as order-number; not ${visibleLine(kind)}`,
  )
}

/** A copy, so that other uses of the operator's pattern have no effect here. */
const globalCopy = ({ source, flags }: RegExp): RegExp => new RegExp(source, `${flags.replace(/[gy]/g, '')}g`)

function pieces(text: string): { start: number; piece: string }[] {
  let start = 0
  const found = [...text.matchAll(notices)].map(({ index, 0: { length } }) => {
    const piece = { start, piece: text.slice(start, index) }
    start = index + length
    return piece
  })
  return [...found, { start, piece: text.slice(start) }]
}
