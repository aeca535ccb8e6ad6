import { withoutBidi } from '../sanitize/bidi.js'
import { withoutControls } from '../sanitize/controls.js'
import { withoutInvisible } from '../sanitize/invisible.js'
import { withoutTerminal } from '../sanitize/terminal.js'
import type { Find } from './advice.js'

const rules = [
  [withoutTerminal, 'It has escape sequences of terminals in it, which may hide or change what is shown.'],
  [withoutControls, 'It has control characters in it, which may hide or change what is shown.'],
  [withoutInvisible, 'It has characters in it that are not shown and may say something else to a model.'],
  [withoutBidi, 'It has characters in it that may show the text in another order than a model reads it.'],
] as const

const longestGap = 40
const blank = new Set(
  ' \t\n\r\u00a0\u1680\u2000\u2001\u2002\u2003\u2004\u2005\u2006\u2007\u2008\u2009\u200a\u2028\u2029\u202f\u205f\u2800\u3000',
)
const gapWhy = 'Text comes after so much empty space that it may be out of sight.'
const halfWhy = 'It has halves of characters in it, which may be shown as nothing.'

/** What people may not see, where no script or emoji needs it: characters that are not shown, and text far away from the rest. */
export function hiddenIn(text: string): Find | undefined {
  const whole = text.toWellFormed()
  if (whole !== text) return { kind: 'hidden', at: differenceAt(text, whole), why: halfWhy }
  for (const [clear, why] of rules) {
    const cleared = clear(text)
    if (cleared !== text) return { kind: 'hidden', at: differenceAt(text, cleared), why }
  }
  const gap = gapIn(text)
  return gap === undefined ? undefined : { kind: 'hidden', at: gap, why: gapWhy }
}

function differenceAt(one: string, other: string): number {
  let at = 0
  while (one[at] === other[at]) at++
  return at
}

/** Where text begins again after a long gap. */
function gapIn(text: string): number | undefined {
  let blanks = 0
  for (let at = 0; at < text.length; at++) {
    if (blank.has(text[at] ?? '')) blanks++
    else if (blanks >= longestGap && blanks < at) return at
    else blanks = 0
  }
  return undefined
}
