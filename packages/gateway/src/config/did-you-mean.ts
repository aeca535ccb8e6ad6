import { plainText } from 'toolwire/relay'

/** The end of a sentence about a name that is not there: the known one that is most like it, if there is any. */
export function didYouMean(name: string, known: readonly string[]): string {
  const meant = known.find((one) => one.endsWith(`__${name}`)) ?? plainText.nearest(name, known)
  return meant === undefined ? '' : `; did you mean ${JSON.stringify(meant)}?`
}

/** The known name that was meant, where hardly anything else can have been: for what follows from more than a hint. */
export const misspelledName = (name: string, known: readonly string[]): string | undefined =>
  plainText.nearest(name, known, name.length < 5 ? 1 : 2)
