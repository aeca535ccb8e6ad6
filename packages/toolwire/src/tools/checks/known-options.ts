import { nearest } from '../../text/nearest.js'
import { definitionError } from './definition-error.js'

/** The options of `T` by name: the compiler tells when one is missing here. */
export type KnownOptions<T> = { readonly [K in keyof Required<T>]: true }

/** The words of a text, one by one. */
export type Words<Text extends string> = Text extends `${infer First} ${infer Rest}` ? First | Words<Rest> : Text
type NamesOnly<T, Name> = [Name, keyof T] extends [keyof T, Name] ? KnownOptions<T> : 'not exactly the options'

/** The options of `T`, in words: it fits nowhere if one is missing, or is none of them. */
export const optionsOf =
  <T>() =>
  <const Lines extends readonly string[]>(...lines: Lines): NamesOnly<T, Words<Lines[number]>> =>
    Object.fromEntries(lines.flatMap((line) => line.split(' ')).map((name) => [name, true])) as never // as its type says

/** What else people write, often because the protocol or another library calls it so, and what to write here. */
export type OptionHints = { readonly [name: string]: string }

/** The same advice for several names. */
export const adviseAll = (names: string, advice: string | ((name: string) => string)): OptionHints =>
  Object.fromEntries(names.split(' ').map((name) => [name, typeof advice === 'string' ? advice : advice(name)]))

/** An option that nobody reads would be lost without a word, and one that was meant to restrict would restrict nothing. */
export function checkOptions(owner: string, given: unknown, known: object, instead: OptionHints = {}): void {
  if (typeof given !== 'object' || given === null) return
  for (const [name, value] of Object.entries(given)) {
    if (value === undefined || Object.hasOwn(known, name)) continue
    throw definitionError(`${owner} has no option \`${name.slice(0, 64)}\`. ${adviceFor(name, Object.keys(known), instead)}`)
  }
}

function adviceFor(name: string, known: readonly string[], instead: OptionHints): string {
  if (Object.hasOwn(instead, name)) return instead[name]!
  const near = nearest(name, known)
  return near === undefined ? `Leave it out; there are ${known.join(', ')}.` : `Write \`${near}\`.`
}
