import { visibleLine } from './visible.js'

const longest = 128

/** An untrusted name, fit for our own messages: on one line, shortened, with hidden characters written as \u{…}. */
export const printableName = (name: string): string => visibleLine(name.slice(0, longest))
