// The parts of a regular expression that decide whether it matches. Captures are not recorded.

/** A set of characters: the source of a class, an escape or `.`, or one code point. */
export type Characters = number | string

export type Node =
  | { readonly kind: 'characters'; readonly characters: Characters }
  | { readonly kind: 'sequence' | 'choice'; readonly parts: readonly Node[] }
  | { readonly kind: 'repeat'; readonly part: Node; readonly least: number; readonly most: number }
  | { readonly kind: 'assert'; readonly assertion: Assertion }
  | { readonly kind: 'look'; readonly part: Node; readonly behind: boolean; readonly negative: boolean }

export type Assertion = 'start' | 'end' | 'boundary' | 'no-boundary'

export type Syntax = { readonly root: Node; readonly unicode: boolean }

/** Charges work to a budget; throws when the budget is used up. */
export type Meter = { spend(steps: number): void }

/** Thrown for a construct that the engine does not support, with its position in the source. */
export class PatternError extends Error {
  constructor(what: string, at: number) {
    super(`${what} at character ${at + 1}`)
  }
}
