import { stripVTControlCharacters } from 'node:util'

/** Of a line without an end, as much is told at a time. */
const longest = 8 * 1024

/** What comes in pieces, told as lines: without colours, and without those that are empty. */
export function lineByLine(tell: (line: string) => void): (text: string) => void {
  let rest = ''
  return (text) => {
    const lines = (rest + text).split(/\r?\n/)
    rest = lines.pop() ?? ''
    if (rest.length > longest) {
      lines.push(rest)
      rest = ''
    }
    for (const line of lines) {
      const plain = stripVTControlCharacters(line).trimEnd()
      if (plain !== '') tell(plain)
    }
  }
}
