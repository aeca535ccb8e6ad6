import { visibleLine } from './visible.js'

const longest = 128

/** A stranger's name for something, fit for a sentence of ours: on one line, not too long, and what it hides is shown. */
export const printableName = (name: string): string => visibleLine(name.slice(0, longest))
