// Runs a program over a text in one step per character. Each set of instructions that can be active is a state of a deterministic
// automaton. States are built on demand and cached within limits; a dropped state is computed, and paid for, again.
import { type Alphabet, endOfText } from './alphabet.js'
import { op, type Program } from './program.js'
import type { Meter } from './syntax.js'

/** The kind of character before a position. */
const beforeStart = 0
const nonWordCharacter = 1
const wordCharacter = 2

/** Cache limits of one automaton. */
const mostTransitions = 16_384
const mostInstructions = 16_384
/** Transitions that all automata of the process cache together. */
const mostTogether = 4 * 1024 * 1024
/** A table takes at least the room of so many transitions. */
const smallestTable = 128

/** One step of a budget pays for 2 ** charactersAStep characters along known transitions. */
const charactersAStep = 5
const charactersABlock = 1_024
/** Fixed cost of a search. */
const perSearch = 2

/** Columns of a new table. */
const narrowest = 8

const lastRound = 2 ** 32 - 1

/** A transition holds the next state and, in its lowest bit, whether the program has matched. */
const noState = -1
const transition = (next: number, matched: boolean): number => ((next + 2) << 1) | (matched ? 1 : 0)
const nextOf = (step: number): number => (step >> 1) - 2
const unknown = 0
/** The start state: nothing has been read. */
const initial = 0

/** The instructions that wait for the next character. */
type State = { readonly waiting: Uint16Array; readonly before: number }

type Symbol = { readonly characterClass: number; readonly holding: number; readonly column: number }

/** Transitions, by state and column. */
class TransitionTable {
  steps = new Int32Array(0)
}

/** Tables in use. The set holds no automata, because those of a dropped schema must be freed. */
const warm = new Set<TransitionTable>()
let remembered = 0

const roomOf = ({ steps: { length } }: TransitionTable): number => (length === 0 ? 0 : Math.max(length, smallestTable))

function dropTables(): void {
  for (const table of warm) table.steps = new Int32Array(0)
  warm.clear()
  remembered = 0
}

export class Automaton {
  readonly #program: Program
  readonly #alphabet: Alphabet
  readonly #tellsWords: boolean
  #states: State[] = []
  readonly #numbers = new Map<string, number>()
  #instructions = 0
  /** Table columns for programs with lookarounds, by character class and the lookarounds that hold. */
  readonly #columns = new Map<number, number>()
  #width = narrowest
  readonly #table = new TransitionTable()
  /** By instruction: the last round that reached it. */
  readonly #reached: Uint32Array
  #round = 0

  constructor(program: Program, alphabet: Alphabet) {
    this.#program = program
    this.#alphabet = alphabet
    this.#reached = new Uint32Array(program.ops.length)
    this.#tellsWords = program.ops.some((operation) => operation === op.boundary || operation === op.noBoundary)
    this.#numberOf([], beforeStart)
  }

  /**
   * Returns whether the program matches anywhere. `looks` has, for each position, a bit per lookaround that holds there. With `bit`,
   * all matches are recorded as that bit of `looks`.
   */
  search(text: string, looks: Uint8Array | undefined, meter: Meter, bit?: number): boolean {
    const { backwards, looks: asked } = this.#program
    const { ascii, unicode } = this.#alphabet
    const last = backwards ? 0 : text.length
    let place = backwards ? text.length : 0
    let state = initial
    let unpaid = 0
    let found = false
    for (;;) {
      if (++unpaid === charactersABlock) {
        meter.spend(charactersABlock >> charactersAStep)
        unpaid = 0
      }
      let next = place
      let characterClass = endOfText
      if (place !== last) {
        next += backwards ? -1 : 1
        let code = text.charCodeAt(backwards ? next : place)
        if (unicode && code >= 0xd800 && code <= 0xdfff) {
          const pair = text.codePointAt(backwards ? place - 2 : place)
          if (pair !== undefined && pair > 0xffff) {
            code = pair
            next = backwards ? place - 2 : place + 2
          }
        }
        characterClass = (code < 128 && ascii[code]) || this.#alphabet.classOf(code, meter)
      }
      const holding = asked === 0 ? 0 : looks![place]! & asked
      const column = asked === 0 ? characterClass : this.#columnOf(characterClass, holding)
      const known = column < this.#width ? this.#table.steps[state * this.#width + column] : unknown
      const step = known || this.#work(state, { characterClass, holding, column }, meter)
      if (step & 1) {
        found = true
        if (bit === undefined) break
        looks![place]! |= bit
      }
      state = nextOf(step)
      if (state === noState) break
      place = next
    }
    meter.spend(perSearch + (unpaid >> charactersAStep))
    return found
  }

  /** Computes a transition and caches it. */
  #work(from: number, symbol: Symbol, meter: Meter): number {
    const { waiting, before } = this.#states[from]!
    const { ops, xs, ys, anchored } = this.#program
    const { characterClass, holding } = symbol
    const reached = this.#reached
    const round = this.#nextRound()
    const open = [...waiting]
    if (!anchored || before === beforeStart) open.push(0)
    const next: number[] = []
    let matched = false
    let visited = 0
    for (let at = open.pop(); at !== undefined; at = open.pop()) {
      if (reached[at] === round) continue
      reached[at] = round
      visited++
      const operation = ops[at]!
      if (operation === op.characters) {
        if (characterClass !== endOfText && this.#alphabet.has(characterClass, xs[at]!)) next.push(at + 1)
      } else if (operation === op.split) open.push(xs[at]!, ys[at]!)
      else if (operation === op.match) matched = true
      else if (operation === op.look) {
        if (((holding >> xs[at]!) & 1) !== ys[at]!) open.push(at + 1)
      } else if (this.#holds(operation, before, characterClass)) open.push(at + 1)
    }
    meter.spend(8 + (visited >> 3))
    const isOver = characterClass === endOfText || (anchored && next.length === 0)
    if (isOver) return this.#remember(from, symbol, transition(noState, matched))
    const forgets = this.#instructions + next.length > mostInstructions
    if (forgets) this.forget()
    const to = this.#numberOf(next, this.#tellsWords && this.#alphabet.isWord(characterClass) ? wordCharacter : nonWordCharacter)
    return forgets ? transition(to, matched) : this.#remember(from, symbol, transition(to, matched))
  }

  /** Rounds are kept in 32 bits. A round beyond them would never be recognized, and a cycle without characters would not end. */
  #nextRound(): number {
    if (this.#round === lastRound) {
      this.#reached.fill(0)
      this.#round = 0
    }
    return ++this.#round
  }

  #holds(operation: number, before: number, characterClass: number): boolean {
    if (operation === op.start) return before === beforeStart
    if (operation === op.end) return characterClass === endOfText
    const isBoundary = (before === wordCharacter) !== (characterClass !== endOfText && this.#alphabet.isWord(characterClass))
    return isBoundary === (operation === op.boundary)
  }

  #numberOf(instructions: number[], before: number): number {
    const waiting = Uint16Array.from(instructions).sort()
    const key = String.fromCharCode(before, ...waiting)
    const known = this.#numbers.get(key)
    if (known !== undefined) return known
    this.#instructions += waiting.length + 1
    this.#numbers.set(key, this.#states.length)
    return this.#states.push({ waiting, before }) - 1
  }

  #columnOf(characterClass: number, holding: number): number {
    const key = (characterClass << 8) | holding
    const known = this.#columns.get(key)
    if (known !== undefined) return known
    this.#columns.set(key, this.#columns.size)
    return this.#columns.size - 1
  }

  #remember(from: number, { column }: Symbol, step: number): number {
    if (column >= this.#width || from * this.#width + column >= this.#table.steps.length) this.#grow(column)
    const index = from * this.#width + column
    if (index < this.#table.steps.length) this.#table.steps[index] = step
    return step
  }

  /** Grows the table for all states and this column, within the limits. */
  #grow(column: number): void {
    const width = Math.max(this.#width, column < this.#width ? 0 : column * 2)
    const states = Math.max(4, this.#states.length * 2)
    const length = Math.min(width * states, Math.max(mostTransitions, width))
    const table = this.#table
    if (length === table.steps.length && width === this.#width) return
    if (remembered + Math.max(length, smallestTable) > mostTogether) dropTables()
    remembered -= roomOf(table)
    const steps = new Int32Array(length)
    if (width === this.#width) steps.set(table.steps.subarray(0, length))
    table.steps = steps
    remembered += roomOf(table)
    warm.add(table)
    this.#width = width
  }

  /** Drops all that was computed; the next search starts anew. */
  forget(): void {
    this.#table.steps.fill(unknown)
    this.#width = narrowest
    this.#states = []
    this.#numbers.clear()
    this.#columns.clear()
    this.#instructions = 0
    this.#numberOf([], beforeStart)
  }
}
