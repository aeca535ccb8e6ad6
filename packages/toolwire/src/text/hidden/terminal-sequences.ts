// Escape sequences of terminals (ECMA-48): they colour, move the cursor, set titles and clipboards, and hide text.
import { finish, type Steps } from '../../bounds/steps.js'
import { type MatchLength, removeMatches } from './remove-matches.js'

const introducer = /[\u001b\u0090\u0098\u009b-\u009f]/
const escapeUnit = 0x1b
const controlSequence = /[0-?]{0,64}[ -/]{0,8}[@-~]/y
const escapeEnd = /[ -/]{0,8}[0-~]?/y

/** Removes every escape sequence. Of one without an end, only the introducer is removed. */
export const withoutTerminalSequences = (text: string): string => finish(terminalSteps(text))

export function* terminalSteps(text: string): Steps<string> {
  return introducer.test(text) ? yield* removeMatches(text, sequenceLength) : text
}

const sequenceLength: MatchLength = (text, at) => {
  const first = text.charCodeAt(at)
  if (first === escapeUnit) return 1 + afterEscape(text, at + 1)
  if (first < 0x90 || first > 0x9f) return 0
  return isIntroducer(first) ? 1 + body(first, text, at + 1) : 0
}

/** ESC and a letter is another way to write a C1 control: ESC [ is U+009B. */
function afterEscape(text: string, at: number): number {
  const c1 = text.charCodeAt(at) + 0x40
  if (c1 >= 0x90 && c1 <= 0x9f && isIntroducer(c1)) return 1 + body(c1, text, at + 1)
  return lengthOf(escapeEnd, text, at)
}

const isIntroducer = (unit: number) => unit === 0x90 || unit === 0x98 || unit >= 0x9b

function body(kind: number, text: string, at: number): number {
  if (kind === 0x9b) return lengthOf(controlSequence, text, at)
  return kind === 0x9c ? 0 : controlString(text, at)
}

function lengthOf(pattern: RegExp, text: string, at: number): number {
  pattern.lastIndex = at
  return pattern.exec(text)?.[0].length ?? 0
}

/** Length of a string that a terminal does not show: a title, a clipboard, the address of a link. Another introducer breaks it off. */
function controlString(text: string, at: number): number {
  let end = at
  while (end < text.length && !endsString(text.charCodeAt(end))) end++
  const last = text.charCodeAt(end)
  if (last === 0x07 || last === 0x9c) return end + 1 - at
  return last === escapeUnit && text[end + 1] === '\\' ? end + 2 - at : 0
}

const endsString = (unit: number) => unit === 0x07 || unit === escapeUnit || (unit >= 0x90 && unit <= 0x9f)
