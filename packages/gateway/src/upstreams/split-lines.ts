import { plainText } from 'toolwire/relay'
import { cutAtWord } from './printed-secrets.js'

/** Longest line; the rest of a line is dropped. */
const longestLine = 8 * 1024
/** Limits for the output of one process in a minute. */
const mostLines = 2_000
const mostLetters = 512 * 1024
const minuteMs = 60_000

const keyBegin = /-----BEGIN [A-Z0-9 ]{0,40}PRIVATE KEY-----/
const keyEnd = /-----END [A-Z0-9 ]{0,40}PRIVATE KEY-----/
const longestKeyLines = 200
const longestBegin = 80

/** Splits output that arrives in pieces into lines. Removes colours, empty lines and private keys, and limits the output in a minute. */
export function lineSplitter(tell: (line: string) => void, now: () => number = () => performance.now()): (text: string) => void {
  let rest = ''
  let isCut = false
  let linesOfKey = 0
  const lastMinute = { since: Number.NEGATIVE_INFINITY, lines: 0, letters: 0, dropped: 0 }

  /** Counts a line before its escape sequences are looked for, so that no output costs more than the limit. */
  function isWithinLimit({ length }: string): boolean {
    if (now() - lastMinute.since >= minuteMs) {
      if (lastMinute.dropped > 0) tell(`… ${lastMinute.dropped} more lines in that minute`)
      Object.assign(lastMinute, { since: now(), lines: 0, letters: 0, dropped: 0 })
    }
    lastMinute.lines++
    lastMinute.letters += length
    if (lastMinute.lines <= mostLines && lastMinute.letters <= mostLetters) return true
    lastMinute.dropped++
    return false
  }

  /** Looks for a key before the line is cut, because the key may start behind the cut. */
  function take(line: string): void {
    if (linesOfKey > 0) {
      linesOfKey = keyEnd.test(line) ? 0 : linesOfKey - 1
      return
    }
    const begins = keyBegin.exec(line)
    if (begins && !keyEnd.test(line)) linesOfKey = longestKeyLines
    const shown = begins ? `${line.slice(0, begins.index)}[a private key]` : line
    const kept = cutAtWord(shown, longestLine).trimEnd()
    if (kept === '' || !isWithinLimit(kept)) return
    const plain = plainText.withoutTerminalSequences(kept).trimEnd()
    if (plain !== '') tell(plain)
  }

  return (text) => {
    const [first = '', ...more] = text.split(/\r?\n/)
    rest += first
    if (isCut && keyBegin.test(rest)) linesOfKey = longestKeyLines
    if (more.length > 0) {
      if (!isCut) take(rest)
      isCut = false
      rest = more.pop() ?? ''
      for (const line of more) take(line)
    }
    if (rest.length <= longestLine) return
    if (!isCut) take(rest)
    isCut = true
    // Keeps enough of a dropped remainder to detect the start of a key.
    rest = rest.slice(-longestBegin)
  }
}
