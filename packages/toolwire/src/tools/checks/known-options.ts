import { nearest } from '../../text/nearest.js'
import { definitionError } from './definition-error.js'
import { type OptionValue, writtenValue } from './option-values.js'

/** Options by name, each with the kind of its values; `true` for options that have a check of their own. */
export type KnownOptions = { readonly [name: string]: OptionValue | true }

export type Words<Text extends string> = Text extends `${infer First} ${infer Rest}` ? First | Words<Rest> : Text
type Line = string | { readonly [names: string]: OptionValue }
type WordsOf<L> = L extends string ? Words<L> : Words<Extract<keyof L, string>>

type HasWords<V> = [Extract<V, string>] extends [never] ? false : string extends Extract<V, string> ? false : true
type NeedsKind<V> = [Extract<V, number | boolean>] extends [never] ? HasWords<V> : true
/** Numbers, flags and words of `T`. A wrong one of them, unlike a wrong object, can pass for another without an error. */
type WithKind<T> = { [K in keyof T]-?: NeedsKind<T[K]> extends true ? K : never }[keyof T]

type Checked<T, Lines extends readonly Line[]> = [WordsOf<Lines[number]>, keyof T] extends [keyof T, WordsOf<Lines[number]>]
  ? [WithKind<T> & WordsOf<Extract<Lines[number], string>>] extends [never]
    ? KnownOptions
    : { readonly 'without a kind of value': WithKind<T> & WordsOf<Extract<Lines[number], string>> }
  : 'not exactly the options'

/**
 * The options of `T`, as words, and those with a kind of value, as `{ 'one another': kind }`. Does not compile if an option is missing or
 * unknown, or if a number, a flag or a word has no kind.
 */
export const optionsOf =
  <T>() =>
  <const Lines extends readonly Line[]>(...lines: Lines): Checked<T, Lines> =>
    Object.fromEntries(lines.flatMap(optionsIn)) as never // as its type says

const optionsIn = (line: Line): (readonly [string, OptionValue | true])[] =>
  typeof line === 'string'
    ? line.split(' ').map((name) => [name, true])
    : Object.entries(line).flatMap(([names, kind]) => names.split(' ').map((name) => [name, kind] as const))

/** Options with the names of these defaults, all of one kind. */
export const optionsLike = (defaults: object, kind: OptionValue): KnownOptions =>
  Object.fromEntries(Object.keys(defaults).map((name) => [name, kind]))

/** The given options over the defaults. `undefined` means the default, as everywhere. */
export function withGiven<D extends object>(defaults: D, given: { readonly [K in keyof D]?: D[K] | undefined } = {}): D {
  return { ...defaults, ...Object.fromEntries(Object.entries(given).filter(([, value]) => value !== undefined)) }
}

/** Advice for wrong names, such as those of the protocol or of another library: what to write instead. */
export type OptionHints = { readonly [name: string]: string }

/** The same advice for several names. */
export const adviseAll = (names: string, advice: string | ((name: string) => string)): OptionHints =>
  Object.fromEntries(names.split(' ').map((name) => [name, typeof advice === 'string' ? advice : advice(name)]))

/**
 * Throws for an unknown option, which would be ignored silently, even one meant to restrict something, and for a value that it cannot have.
 * `undefined` is as good as absent.
 */
export function checkOptions(owner: string, given: unknown, known: KnownOptions, instead: OptionHints = {}): void {
  if (given === undefined) return
  if (typeof given !== 'object' || given === null)
    throw definitionError(`${owner} needs an object of options, not ${writtenValue(given)}; ${allOf(known)}`)
  for (const [name, value] of Object.entries(given)) {
    if (value === undefined) continue
    const kind = Object.hasOwn(known, name) ? known[name] : undefined
    if (!kind) throw definitionError(`${owner} has no option \`${name.slice(0, 64)}\`. ${adviceFor(name, known, instead)}`)
    if (kind !== true && !kind.fits(value))
      throw definitionError(`${owner} cannot have \`${name}: ${writtenValue(value)}\`. Write ${kind.possible}.`)
  }
}

function adviceFor(name: string, known: KnownOptions, instead: OptionHints): string {
  if (Object.hasOwn(instead, name)) return instead[name]!
  const near = nearest(name, Object.keys(known))
  return near === undefined ? `Leave it out; ${allOf(known)}` : `Write \`${near}\`.`
}

const allOf = (known: KnownOptions): string => `there are ${Object.keys(known).join(', ')}.`
