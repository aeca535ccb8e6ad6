import type { Paint } from '../terminal/paint.js'

/** A diff with what comes in green and what goes in red. */
export const colouredDiff = (diff: string, paint: Paint): string =>
  diff
    .split('\n')
    .map((line) => (line.startsWith('+') ? paint.green(line) : line.startsWith('-') ? paint.red(line) : line))
    .join('\n')
