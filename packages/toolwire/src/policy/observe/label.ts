import { visibleLine } from '../../text/visible.js'

const longest = 128

/** A stranger's word, fit to be kept by others: on one line, not too long, and what it hides is shown. */
export const label = (text: string): string => visibleLine(text.slice(0, longest)).slice(0, 2 * longest)
