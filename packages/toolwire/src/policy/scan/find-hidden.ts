import { finish } from '../../bounds/steps.js'
import { characterRules } from '../../text/hidden/character-rules.js'
import { findGap } from '../../text/hidden/gaps.js'
import { findHiddenMessage } from '../../text/hidden/hidden-message.js'
import { withoutInvisibleCharacters } from '../../text/hidden/invisible-characters.js'
import type { ScanFinding } from './advice.js'

const reordered = /[\u202a\u202b\u202d\u202e\u2067]/u
const overrides = /[\u202d\u202e]/u
const rightToLeft = /[\u0590-\u08ff\ufb1d-\ufdff\ufe70-\ufefc]/u
// Colours, concealment, erasing, cursor movement by a number, and strings that terminals do not show. Honest tools mention bare cursor
// keys.
const rewritingSequence =
  /(?:\u001b\[|\u009b)[\d;:]*(?:m|[JKX@P]|\d[A-H])|(?:\u001b[P\]X^_]|[\u0090\u0098\u009d-\u009f])[^\u0007\u001b\u009c]{4}|[\b\u007f]{3}/

/** Ways to hide text from people, which no honest text uses. */
const concealments: readonly (readonly [find: (text: string) => number | undefined, why: string])[] = [
  [
    (text) => text.search(rewritingSequence),
    'The text contains escape sequences of terminals, which may hide or change what is shown.',
  ],
  [
    (text) => findHiddenMessage(text, withoutInvisibleCharacters(text)),
    'The text contains invisible characters that may say something else to a model.',
  ],
  [
    (text) => text.search(rightToLeft.test(text) ? overrides : reordered),
    'The text contains characters that may show it in another order than a model reads it.',
  ],
  [findGap, 'The text continues after so much empty space that the rest may be out of sight.'],
]

/** Reasons for characters that should not be there, but are often copied by accident. */
const characterReasons = {
  terminal: 'The text contains escape characters of terminals, which may change what is shown.',
  controls: 'The text contains control characters, which may change what is shown.',
  invisible:
    'The text contains a few invisible characters: too few to carry a message, but they may keep a word from being found.',
  bidi: 'The text contains marks that may show it in another order than a model reads it.',
}

const halfWhy = 'The text contains halves of characters, which may be shown as nothing.'

/** Finds characters that are not shown although no script or emoji needs them, and text far away from the rest. */
export function findHidden(text: string): ScanFinding | undefined {
  for (const [find, why] of concealments) {
    const at = find(text) ?? -1
    if (at >= 0) return { kind: 'hidden', at, why, holds: true }
  }
  const whole = text.toWellFormed()
  if (whole !== text) return { kind: 'hidden', at: firstDifference(text, whole), why: halfWhy, holds: false }
  for (const [rule, clear] of characterRules) {
    const cleared = finish(clear(text))
    if (cleared !== text) return { kind: 'hidden', at: firstDifference(text, cleared), why: characterReasons[rule], holds: false }
  }
  return undefined
}

function firstDifference(one: string, other: string): number {
  let at = 0
  while (one[at] === other[at]) at++
  return at
}
