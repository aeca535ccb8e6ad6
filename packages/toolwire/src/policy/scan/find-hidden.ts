import { withoutBidiFormatting } from '../../text/hidden/bidi.js'
import { withoutControlCharacters } from '../../text/hidden/control-characters.js'
import { findGap } from '../../text/hidden/gaps.js'
import { findHiddenMessage } from '../../text/hidden/hidden-message.js'
import { withoutInvisibleCharacters } from '../../text/hidden/invisible-characters.js'
import { withoutTerminalSequences } from '../../text/hidden/terminal-sequences.js'
import type { ScanFinding } from './advice.js'

/** Text is taken out of the sight of people by this, and no honest text has it. */
type Concealment = { readonly find: (text: string) => number; readonly why: string }

const reordered = /[\u202a\u202b\u202d\u202e\u2067]/u
const overrides = /[\u202d\u202e]/u
const rightToLeft = /[\u0590-\u08ff\ufb1d-\ufdff\ufe70-\ufefc]/u
// Colours, concealment, erasing, moving with a number, and strings that terminals keep to themselves. A bare cursor key is mentioned by honest tools.
const rewritten =
  /(?:\u001b\[|\u009b)[\d;:]*(?:m|[JKX@P]|\d[A-H])|(?:\u001b[P\]X^_]|[\u0090\u0098\u009d-\u009f])[^\u0007\u001b\u009c]{4}|[\b\u007f]{3}/

const concealments: readonly Concealment[] = [
  {
    find: (text) => text.search(rewritten),
    why: 'It has escape sequences of terminals in it, which may hide or change what is shown.',
  },
  {
    find: (text) => findHiddenMessage(text, withoutInvisibleCharacters(text)),
    why: 'It has characters in it that are not shown and may say something else to a model.',
  },
  {
    find: (text) => text.search(rightToLeft.test(text) ? overrides : reordered),
    why: 'It has characters in it that may show the text in another order than a model reads it.',
  },
]

/** Characters that are better not there, and that come along with what is copied. */
const rules = [
  [withoutTerminalSequences, 'It has escape characters of terminals in it, which may change what is shown.'],
  [withoutControlCharacters, 'It has control characters in it, which may change what is shown.'],
  [
    withoutInvisibleCharacters,
    'It has characters in it that are not shown, too few to say anything by themselves; they may keep a word from being found.',
  ],
  [withoutBidiFormatting, 'It has marks in it that may show the text in another order than a model reads it.'],
] as const

const gapWhy = 'Text comes after so much empty space that it may be out of sight.'
const halfWhy = 'It has halves of characters in it, which may be shown as nothing.'

/** What people may not see, where no script or emoji needs it: characters that are not shown, and text far away from the rest. */
export function findHidden(text: string): ScanFinding | undefined {
  for (const { find, why } of concealments) {
    const at = find(text)
    if (at >= 0) return { kind: 'hidden', at, why, holds: true }
  }
  const gap = findGap(text)
  if (gap !== undefined) return { kind: 'hidden', at: gap, why: gapWhy, holds: true }
  const whole = text.toWellFormed()
  if (whole !== text) return { kind: 'hidden', at: differenceAt(text, whole), why: halfWhy, holds: false }
  for (const [clear, why] of rules) {
    const cleared = clear(text)
    if (cleared !== text) return { kind: 'hidden', at: differenceAt(text, cleared), why, holds: false }
  }
  return undefined
}

function differenceAt(one: string, other: string): number {
  let at = 0
  while (one[at] === other[at]) at++
  return at
}
