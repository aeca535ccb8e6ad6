import { visible } from '../../text/visible.js'

/**
 * What part of a definition may be: instructions to the model; a word about tools of another server; a name that looks like
 * another; text that people do not see; more than a definition needs; a wish for secrets or for files that hold them.
 */
export type AdviceKind = 'instructions' | 'cross-reference' | 'look-alike' | 'hidden' | 'oversized' | 'secret-seeking'

/** Something in a definition that a person may want to look at before accepting it. It is advice: it proves nothing. */
export type Advice = {
  readonly kind: AdviceKind
  /** Where it is, as a JSON pointer in which hidden characters are written as \u{…}. */
  readonly path: string
  /** The text around it, with hidden characters written as \u{…}. */
  readonly excerpt: string
  readonly why: string
  /** Strong enough to keep a definition back that nobody has looked at: few honest ones have the like. Anything else is a note. */
  readonly holds: boolean
}

/** Something found at that index of a text. */
export type ScanFinding = Pick<Advice, 'kind' | 'why' | 'holds'> & { readonly at: number }

const longest = 120
const lead = 30

/** The text from a little before that index on, in so few characters that a dialog can show it. */
export function excerptOf(text: string, at: number): string {
  const start = Math.max(0, at - lead)
  const shown = `${start > 0 ? '…' : ''}${visible(text.slice(start, start + longest).toWellFormed())}`
  const whole = shown.length <= longest && start + longest >= text.length
  return whole ? shown : `${withoutHalf(shown.slice(0, longest - 1))}…`
}

/** Neither half of a pair nor half of an escape. */
const withoutHalf = (text: string) => text.replace(/(?:[\ud800-\udbff]|\\(?:u(?:\{[0-9a-f]{0,6})?)?)$/u, '')
