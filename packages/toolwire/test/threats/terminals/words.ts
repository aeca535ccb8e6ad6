// Texts that control terminals or are invisible to people.
import { expect } from 'vitest'

const kinds = {
  colours: '\u001b[31mred\u001b[0m',
  'a cleared screen': '\u001b[2J\u001b[H',
  'a link': '\u001b]8;;https://evil.example\u0007here\u001b]8;;\u0007',
  'the clipboard': '\u001b]52;c;cm0gLXJmIH4=\u0007',
  'a title': '\u001b]0;root@bank\u001b\\',
  'a device string': '\u001bPq#0;2;0;0;0#0~~\u001b\\',
  'a privacy message': '\u001b^secret\u001b\\',
  'an application command': '\u001b_command\u001b\\',
  'a reset': '\u001bc',
  'a report of the cursor': '\u001b[6n',
  'colours in eight bits': '\u009b31mred\u009b0m',
  'a title in eight bits': '\u009d0;root\u009c',
  'a device string in eight bits': '\u0090q~\u009c',
  'a bell': '\u0007',
  'a backspace': 'ab\b\bxy',
  'a return': 'paid 5\rpaid 9',
  'a next line': 'a\u0085b',
  'a delete': 'a\u007fb',
  'text that runs backwards': '\u202egnp.exe\u202c \u2066x\u2069',
  'zero width': 'a\u200b\u200d\ufeffb',
  'letters that are tags': '\u{e0041}\u{e0042}',
  'line separators': 'a\u2028b\u2029c',
} as const

/** Each kind by its name, and one text with all of them. */
export const words: readonly (readonly [kind: string, text: string])[] = [
  ...Object.entries(kinds),
  ['all of it', Object.values(kinds).join(' ')],
]
export const everything = Object.values(kinds).join(' ')

/** Characters that control terminals or are invisible, except for line ends and tabs. */
const raw = /(?![\n\t])[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]/u

/** Every text in a value, including names of members. */
export function textsIn(value: unknown): string[] {
  if (typeof value === 'string') return [value]
  if (typeof value !== 'object' || value === null) return []
  return Object.entries(value).flatMap(([name, member]) => [name, ...textsIn(member)])
}

export function expectPlain(value: unknown): void {
  const texts = textsIn(value)
  expect(texts.length).toBeGreaterThan(0)
  for (const text of texts) expect(text).not.toMatch(raw)
}
