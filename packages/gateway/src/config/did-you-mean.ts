import { plainText } from 'toolwire/relay'

/** The end of an error sentence: suggests the known name that is most like the unknown one, if there is any. */
export function didYouMean(name: string, known: readonly string[]): string {
  const meant = known.find((one) => one.endsWith(`__${name}`)) ?? plainText.nearest(name, known)
  return meant === undefined ? '' : `; did you mean ${JSON.stringify(meant)}?`
}

/** The known name that was almost certainly meant, for callers that do more than print a hint. */
export const misspelledName = (name: string, known: readonly string[]): string | undefined =>
  plainText.nearest(name, known, name.length < 5 ? 1 : 2)
