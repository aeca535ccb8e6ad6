import { stripVTControlCharacters } from 'node:util'
import { beginningOf } from './printed-secrets.js'

/** Longest line; the rest of a line is dropped. */
const longest = 8 * 1024
/** Limits for the output of one process in a minute. */
const mostLines = 2_000
const mostLetters = 512 * 1024
const minute = 60_000

const keyBegins = /-----BEGIN [A-Z0-9 ]{0,40}PRIVATE KEY-----/
const keyEnds = /-----END [A-Z0-9 ]{0,40}PRIVATE KEY-----/
const longestKey = 200
const longestBegin = 80

/** Splits output that arrives in pieces into lines. Removes colours, empty lines and private keys, and limits the output in a minute. */
export function lineSplitter(tell: (line: string) => void, now: () => number = () => performance.now()): (text: string) => void {
  let rest = ''
  let isCut = false
  let linesOfKey = 0
  const told = { since: Number.NEGATIVE_INFINITY, lines: 0, letters: 0, untold: 0 }

  function bounded(line: string): void {
    if (now() - told.since >= minute) {
      if (told.untold > 0) tell(`… ${told.untold} more lines in that minute`)
      Object.assign(told, { since: now(), lines: 0, letters: 0, untold: 0 })
    }
    told.lines++
    told.letters += line.length
    if (told.lines > mostLines || told.letters > mostLetters) told.untold++
    else tell(line)
  }

  /** Looks for a key before the line is cut, because the key may start behind the cut. */
  function take(line: string): void {
    if (linesOfKey > 0) {
      linesOfKey = keyEnds.test(line) ? 0 : linesOfKey - 1
      return
    }
    const begins = keyBegins.exec(line)
    if (begins && !keyEnds.test(line)) linesOfKey = longestKey
    const shown = begins ? `${line.slice(0, begins.index)}[a private key]` : line
    const plain = stripVTControlCharacters(beginningOf(shown, longest)).trimEnd()
    if (plain !== '') bounded(plain)
  }

  return (text) => {
    const [first = '', ...more] = text.split(/\r?\n/)
    rest += first
    if (isCut && keyBegins.test(rest)) linesOfKey = longestKey
    if (more.length > 0) {
      if (!isCut) take(rest)
      isCut = false
      rest = more.pop() ?? ''
      for (const line of more) take(line)
    }
    if (rest.length <= longest) return
    if (!isCut) take(rest)
    isCut = true
    // Keeps enough of a dropped remainder to detect the start of a key.
    rest = rest.slice(-longestBegin)
  }
}
