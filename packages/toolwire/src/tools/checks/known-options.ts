import { nearest } from '../../text/nearest.js'
import { definitionError } from './definition-error.js'

/** The options of `T` by name: the compiler reports a missing one. */
type KnownOptions<T> = { readonly [K in keyof Required<T>]: true }

export type Words<Text extends string> = Text extends `${infer First} ${infer Rest}` ? First | Words<Rest> : Text
type NamesOnly<T, Name> = [Name, keyof T] extends [keyof T, Name] ? KnownOptions<T> : 'not exactly the options'

/** The options of `T`, as words. Does not compile if an option is missing or unknown. */
export const optionsOf =
  <T>() =>
  <const Lines extends readonly string[]>(...lines: Lines): NamesOnly<T, Words<Lines[number]>> =>
    Object.fromEntries(lines.flatMap((line) => line.split(' ')).map((name) => [name, true])) as never // as its type says

/** Advice for wrong names, such as those of the protocol or of another library: what to write instead. */
export type OptionHints = { readonly [name: string]: string }

/** The same advice for several names. */
export const adviseAll = (names: string, advice: string | ((name: string) => string)): OptionHints =>
  Object.fromEntries(names.split(' ').map((name) => [name, typeof advice === 'string' ? advice : advice(name)]))

/** Throws for an unknown option. Otherwise it would be ignored silently, even one meant to restrict something. */
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
