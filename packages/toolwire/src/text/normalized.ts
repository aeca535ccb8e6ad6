import { latePattern } from './late-pattern.js'

/** Half-width sound marks become combining marks when they are normalized. */
const manyMarks = latePattern(String.raw`[\p{M}\uff9e\uff9f]{30}`, 'gu')
const joiner = '\u034f'

/**
 * Normalizes untrusted text in linear time. Engines sort the marks after a letter in quadratic time, so after 30 of them an invisible
 * joiner is put in (UAX 15, stream-safe text). No language has so many.
 */
export const normalized = (text: string, form: 'NFC' | 'NFD' | 'NFKC' | 'NFKD'): string =>
  text.replace(manyMarks(), `$&${joiner}`).normalize(form)
