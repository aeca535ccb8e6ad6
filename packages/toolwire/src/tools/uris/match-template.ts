import type { Expression, Operator, Piece, Variable } from './template-expression.js'

/** The text of a variable in a URI, still encoded. */
export type Capture = { readonly variable: Variable; readonly raw: string }

type Allows = (code: number) => boolean
type Slot = { readonly variable: Variable; readonly lead: string; readonly optional: boolean; readonly allows: Allows }
type Form = Operator & { readonly variables: readonly Variable[]; readonly allows: Allows }

/** Literal text, a variable, or several named variables in any order. `weight`: steps per character of a URI. */
type TemplatePart = { readonly weight: number; readonly plan: (uri: string, next: Uint8Array) => Step }

/** The positions at which a part may start so that the rest still fits, and a function that reads the part from one of them. */
type Step = { readonly starts: Uint8Array; readonly take: (at: number, captures: Capture[]) => number }

const without = (characters: string): Allows => {
  const codes = new Set([...characters].map((character) => character.charCodeAt(0)))
  return (code) => !codes.has(code)
}

// A form may try a pair at every few characters, which takes longer than skipping them.
const formWeight = 5

export const matchCost = (parts: readonly TemplatePart[]): number => parts.reduce((sum, { weight }) => sum + weight, 1)

export const partsOf = (pieces: readonly Piece[]): TemplatePart[] =>
  pieces.flatMap((piece) => (typeof piece === 'string' ? [literalPart(piece)] : expressionParts(piece)))

function expressionParts({ operator, variables }: Expression): TemplatePart[] {
  const { lead, separator, named, reserved } = operator
  if (named) return [formPart({ ...operator, variables, allows: without(lead === ';' ? ';/?#' : '&#') })]
  const apart = variables.length > 1 && separator === ',' ? ',' : ''
  return variables.map((variable, index) =>
    slotPart({
      variable,
      lead: index === 0 ? lead : separator,
      optional: lead !== '',
      allows: reserved ? () => true : without(variable.explode && separator === '/' ? '?#' : `/?#${apart}`),
    }),
  )
}

/** Matches the parts against the URI, each variable as long as the rest allows. Takes one pass per part and never backtracks. */
export function matchParts(parts: readonly TemplatePart[], uri: string): Capture[] | undefined {
  let next: Uint8Array = new Uint8Array(uri.length + 1)
  next[uri.length] = 1
  const steps: Step[] = []
  for (const part of parts.toReversed()) {
    const step = part.plan(uri, next)
    if (!step.starts.includes(1)) return undefined
    steps.unshift(step)
    next = step.starts
  }
  if (next[0] !== 1) return undefined
  const captures: Capture[] = []
  steps.reduce((at, step) => step.take(at, captures), 0)
  return captures
}

function literalPart(text: string): TemplatePart {
  const plan = (uri: string, next: Uint8Array): Step => {
    const starts = new Uint8Array(uri.length + 1)
    for (const at of occurrences(text, uri)) starts[at] = next[at + text.length] ?? 0
    return { starts, take: (at) => at + text.length }
  }
  return { weight: 1, plan }
}

/** The positions of a text, by the Knuth-Morris-Pratt algorithm: a repetitive text takes no longer than another. */
function* occurrences(text: string, uri: string): Generator<number> {
  if (text.length > uri.length) return
  const borders = new Int32Array(text.length + 1).fill(-1)
  for (let at = 0; at < text.length; at++) borders[at + 1] = extended(text, borders, borders[at]!, text.charCodeAt(at)) + 1
  for (let at = 0, matched = 0; at < uri.length; at++) {
    matched = extended(text, borders, matched, uri.charCodeAt(at)) + 1
    if (matched === text.length) yield at + 1 - matched
  }
}

/** The length of the longest prefix of the text that ends here and continues with that character; -1 if there is none. */
function extended(text: string, borders: Int32Array, matched: number, code: number): number {
  let length = matched
  while (length >= 0 && text.charCodeAt(length) !== code) length = borders[length]!
  return length
}

const slotPart = (slot: Slot): TemplatePart => ({ weight: 1, plan: (uri, next) => planSlot(slot, uri, next) })

function planSlot({ variable, lead, optional, allows }: Slot, uri: string, next: Uint8Array): Step {
  const ends = new Int32Array(uri.length + 1).fill(-1)
  const starts = new Uint8Array(uri.length + 1)
  const least = lead === '' || lead === ',' ? 1 : 0
  const present = (at: number): boolean => uri.startsWith(lead, at) && (ends[at + lead.length] ?? -1) >= at + lead.length + least
  for (let at = uri.length; at >= 0; at -= 1) {
    const fits = next[at] === 1
    ends[at] = furthest(at, allows(uri.charCodeAt(at)), ends, fits)
    if (present(at) || (optional && fits)) starts[at] = 1
  }
  const take = (at: number, captures: Capture[]): number => {
    if (!present(at)) return at
    const end = ends[at + lead.length] ?? at
    captures.push({ variable, raw: uri.slice(at + lead.length, end) })
    return end
  }
  return { starts, take }
}

const formPart = (form: Form): TemplatePart => ({
  weight: form.variables.length + formWeight,
  plan: (uri, next) => planForm(form, uri, next),
})

/** Matches named pairs such as `?a=1&b=2`: any of them may be absent, and they may come in any order. */
function planForm(form: Form, uri: string, next: Uint8Array): Step {
  const ends = new Int32Array(uri.length + 1).fill(-1)
  const starts = new Uint8Array(next)
  for (let at = uri.length; at >= 0; at -= 1) {
    const fits = next[at] === 1 || pairAt(form, { uri, at, ends }, form.separator) !== undefined
    ends[at] = furthest(at, form.allows(uri.charCodeAt(at)), ends, fits)
    if (pairAt(form, { uri, at, ends }, form.lead)) starts[at] = 1
  }
  const take = (start: number, captures: Capture[]): number => {
    let at = start
    let pair = pairAt(form, { uri, at, ends }, form.lead)
    while (pair) {
      captures.push({ variable: pair.variable, raw: uri.slice(pair.from, pair.end) })
      at = pair.end
      pair = pairAt(form, { uri, at, ends }, form.separator)
    }
    return at
  }
  return { starts, take }
}

type Place = { readonly uri: string; readonly at: number; readonly ends: Int32Array }
type Pair = { readonly variable: Variable; readonly from: number; readonly end: number }

/** The pair that begins here with this mark, if the rest fits. */
function pairAt({ variables, allows }: Form, { uri, at, ends }: Place, mark: string): Pair | undefined {
  if (!uri.startsWith(mark, at)) return undefined
  for (const variable of variables) {
    const after = at + mark.length + variable.name.length
    if (!uri.startsWith(variable.name, at + mark.length)) continue
    const valued = uri[after] === '='
    if (!valued && after < uri.length && allows(uri.charCodeAt(after))) continue // a longer name with ours as its prefix
    const from = valued ? after + 1 : after
    const end = ends[from] ?? -1
    return end === -1 ? undefined : { variable, from, end }
  }
  return undefined
}

/** The furthest possible end of a run of allowed characters from here; -1 if no end fits. */
function furthest(at: number, allowed: boolean, ends: Int32Array, fits: boolean): number {
  const beyond = allowed ? (ends[at + 1] ?? -1) : -1
  if (beyond !== -1) return beyond
  return fits ? at : -1
}
