// Escape sequences of terminals (ECMA-48): they colour, move the cursor, set titles and clipboards, and hide text.
import { type MatchLength, removeMatches } from './remove-matches.js'

const introducer = /[\u001b\u0090\u0098\u009b-\u009f]/
const escapeUnit = 0x1b
const longestControlSequence = 64
const longestEscape = 8

/** Takes out every escape sequence; where one has no end, what would start it. */
export const withoutTerminalSequences = (text: string): string =>
  introducer.test(text) ? removeMatches(text, sequenceLength) : text

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
  const intermediates = run(text, at, { from: 0x20, to: 0x2f, most: longestEscape })
  return intermediates + (isBetween(text.charCodeAt(at + intermediates), 0x30, 0x7e) ? 1 : 0)
}

const isIntroducer = (unit: number) => unit === 0x90 || unit === 0x98 || unit >= 0x9b

function body(kind: number, text: string, at: number): number {
  if (kind === 0x9b) return controlSequence(text, at)
  return kind === 0x9c ? 0 : controlString(text, at)
}

function controlSequence(text: string, at: number): number {
  const parameters = run(text, at, { from: 0x30, to: 0x3f, most: longestControlSequence })
  const intermediates = run(text, at + parameters, { from: 0x20, to: 0x2f, most: longestEscape })
  const length = parameters + intermediates
  return isBetween(text.charCodeAt(at + length), 0x40, 0x7e) ? length + 1 : 0
}

/** What a terminal keeps to itself: a title, a clipboard, the address of a link. Another introducer breaks it off. */
function controlString(text: string, at: number): number {
  let end = at
  while (end < text.length && !endsString(text.charCodeAt(end))) end++
  const last = text.charCodeAt(end)
  if (last === 0x07 || last === 0x9c) return end + 1 - at
  return last === escapeUnit && text[end + 1] === '\\' ? end + 2 - at : 0
}

const endsString = (unit: number) => unit === 0x07 || unit === escapeUnit || isBetween(unit, 0x90, 0x9f)

function run(text: string, at: number, { from, to, most }: { from: number; to: number; most: number }): number {
  let length = 0
  while (length < most && isBetween(text.charCodeAt(at + length), from, to)) length++
  return length
}

const isBetween = (unit: number, from: number, to: number) => unit >= from && unit <= to
