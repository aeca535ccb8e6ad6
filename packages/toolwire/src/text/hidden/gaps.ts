// Blank space that may hide text. Indentation, the padding of a table and a few empty lines do not count.
const blank = new Set(' \t\u00a0\u1680\u2000\u2001\u2002\u2003\u2004\u2005\u2006\u2007\u2008\u2009\u200a\u202f\u205f\u2800\u3000')
const lineEnds = new Set('\n\r\u2028\u2029')
const borders = new Set('|\u2502\u2503\u2551')

const mostLines = 24
const mostWithinLine = 79
/** Deeper than code and nested lists are indented, and wider than tables are padded. */
const mostIndented = 199

/** Index of text that follows more empty lines than fit a screen, or that is so far to the right that a reader may miss it. */
export function findGap(text: string): number | undefined {
  let columns = 0
  let lines = 0
  for (let at = 0; at < text.length; at++) {
    const unit = text[at] ?? ''
    if (blank.has(unit)) columns++
    else if (lineEnds.has(unit)) {
      if (!(unit === '\n' && text[at - 1] === '\r')) lines++
      columns = 0
    } else {
      if (lines > mostLines && at > 0) return at
      if (columns > (lines > 0 || columns === at || borders.has(unit) ? mostIndented : mostWithinLine)) return at
      columns = 0
      lines = 0
    }
  }
  return undefined
}
