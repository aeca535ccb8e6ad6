// The parts of a regular expression that matter for whether it occurs. Groups only hold together; who captures what is never asked.

/** Which characters fit, in words of the language: a class, an escape or `.`; or one code point. */
export type Characters = number | string

export type Node =
  | { readonly kind: 'characters'; readonly characters: Characters }
  | { readonly kind: 'sequence' | 'choice'; readonly parts: readonly Node[] }
  | { readonly kind: 'repeat'; readonly part: Node; readonly least: number; readonly most: number }
  | { readonly kind: 'assert'; readonly assertion: Assertion }
  | { readonly kind: 'look'; readonly part: Node; readonly behind: boolean; readonly negative: boolean }

export type Assertion = 'start' | 'end' | 'boundary' | 'no-boundary'

export type Syntax = { readonly root: Node; readonly unicode: boolean }

/** Pays for work done; it throws when the budget is used up. */
export type Meter = { spend(steps: number): void }

/** What the engine cannot do, and where in the source it was asked for. */
export class PatternError extends Error {
  constructor(what: string, at: number) {
    super(`${what} at character ${at + 1}`)
  }
}
