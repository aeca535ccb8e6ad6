import { visible } from '../../text/visible.js'

/**
 * Kind of a finding: instructions to the model; a mention of another server's tool; a name that looks like another; text that people do not
 * see; more text than a definition needs; a request for secrets or for files that hold them.
 */
export type AdviceKind = 'instructions' | 'cross-reference' | 'look-alike' | 'hidden' | 'oversized' | 'secret-seeking'

/** A finding in a definition that a person may want to review before accepting it. It is advice and proves nothing. */
export type Advice = {
  readonly kind: AdviceKind
  /** Location as a JSON pointer, with hidden characters written as \u{…}. */
  readonly path: string
  /** The text around it, with hidden characters written as \u{…}. */
  readonly excerpt: string
  readonly why: string
  /** True if the finding should hold an unreviewed definition back, because few honest definitions have one. Other findings are notes. */
  readonly holds: boolean
}

export type ScanFinding = Pick<Advice, 'kind' | 'why' | 'holds'> & { readonly at: number }

const longest = 120
const lead = 30

/** Excerpt from shortly before the index on, short enough for a dialog. */
export function excerptOf(text: string, at: number): string {
  const start = Math.max(0, at - lead)
  const shown = `${start > 0 ? '…' : ''}${visible(text.slice(start, start + longest).toWellFormed())}`
  const whole = shown.length <= longest && start + longest >= text.length
  return whole ? shown : `${withoutHalf(shown.slice(0, longest - 1))}…`
}

/** Removes half a surrogate pair or half an escape at the end. */
const withoutHalf = (text: string) => text.replace(/(?:[\ud800-\udbff]|\\(?:u(?:\{[0-9a-f]{0,6})?)?)$/u, '')
