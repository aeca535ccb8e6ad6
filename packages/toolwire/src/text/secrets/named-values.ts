// Secrets in texts that only views and logs hide: values after a sensitive name, in the form of settings, headers, members, queries and
// options. A result keeps them, because most are placeholders or code.
import type { PassageKind } from '../search/anchor-scan.js'
import { isSensitiveName } from './sensitive-names.js'

const nameCharacter = String.raw`[\p{L}\p{N}_.-]`
const segment = String.raw`[^\s"',;&\\=:]{0,4096}`
/** Few segments, so that a text of nothing but names takes linear time. */
const value = String.raw`((?!\[secret removed)(?=[^\s"',;&\\]{6})${segment}(?:[=:]{1,4}${segment}){0,3})`
const separator = String.raw`[\\"']{0,4}[ \t]{0,3}(?:=>|:=|[=:])[ \t]{0,3}`
const scheme = '(?:(?:Bearer|Basic|Token) {1,3})?'

const endOfName = new RegExp(`${nameCharacter}{0,64}$`, 'u')
const nameAndSeparator = new RegExp(`(${nameCharacter}{3,64})(${separator})?`, 'uy')

/** True if the whole name around the anchor is sensitive. Only an option needs no separator before its value. */
function isNamed(_found: string, text: string, at: number): boolean {
  const [before = ''] = endOfName.exec(text.slice(Math.max(0, at - 64), at)) ?? []
  nameAndSeparator.lastIndex = at
  const [, rest = '', separated] = nameAndSeparator.exec(text) ?? []
  const name = before + rest
  return isSensitiveName(name) && (separated !== undefined || /^--?[a-z]/i.test(name))
}

export const namedValues: readonly PassageKind[] = [
  {
    kind: 'named-secret',
    anchors: 'pass pwd secret token key credential cookie authorization jwt otp cvv ssn card mnemonic'.split(' '),
    pattern: new RegExp(`${nameCharacter}{3,64}(?:${separator}|[ \\t]{1,3})[\\\\"']{0,4}${scheme}${value}`, 'iuy'),
    check: isNamed,
  },
  {
    kind: 'named-secret',
    anchors: ['bearer ', 'basic '],
    pattern: /(?:bearer|basic) {1,3}([\w.~+/=-]{16,1024})/iy,
    check: (found) => /\d/.test(found),
  },
  {
    kind: 'named-secret',
    anchors: [' -u ', '--user'],
    pattern: new RegExp(`(?: -u|--user)[ =]{1,3}["']?[^\\s:"']{1,64}:${value}`, 'y'),
  },
]
