import type { Alphabet } from './alphabet.js'
import type { Assertion, Node } from './syntax.js'

/** The instructions of a program; `x` and `y` are their operands. */
export const op = {
  /** Reads a character of the set x and continues with the next instruction. */
  characters: 0,
  /** Continues at x and at y. */
  split: 1,
  /** The four assertions continue where they hold. */
  start: 2,
  end: 3,
  boundary: 4,
  noBoundary: 5,
  /** Continues where lookaround x matched (y is 0), or did not match (y is 1). */
  look: 6,
  match: 7,
} as const

/** A nondeterministic automaton, written as instructions. Instruction 0 is the first. */
export type Program = {
  readonly ops: Uint8Array
  readonly xs: Uint16Array
  readonly ys: Uint16Array
  /** A match can only begin where reading begins. */
  readonly anchored: boolean
  /** The lookarounds that the program uses, as bits. */
  readonly looks: number
  readonly backwards: boolean
}

/** Number of instructions of a node, with counted repetitions expanded. */
export function sizeOf(node: Node): number {
  if (node.kind === 'characters' || node.kind === 'assert') return 1
  if (node.kind === 'look') return 1 + sizeOf(node.part)
  if (node.kind === 'repeat') return repeatedSize(Math.max(1, sizeOf(node.part)), node)
  const perPart = node.kind === 'choice' ? 2 : 0
  return node.parts.reduce((sum, part) => sum + sizeOf(part) + perPart, 0)
}

function repeatedSize(size: number, { least, most }: Repeat): number {
  if (!Number.isFinite(most)) return least === 0 ? size + 2 : least * size + 1
  return least * size + (most - least) * (size + 1)
}

type Repeat = Extract<Node, { kind: 'repeat' }>
type Look = Extract<Node, { kind: 'look' }>

/** Writes a node as a program that reads forwards, or one that reads backwards. */
export function writeProgram(root: Node, how: { alphabet: Alphabet; indexOf(look: Look): number; backwards: boolean }): Program {
  const writer = new Writer(how)
  writer.write(root)
  writer.emit(op.match)
  const { looks } = writer
  const [ops, xs, ys] = [Uint8Array.from(writer.ops), Uint16Array.from(writer.xs), Uint16Array.from(writer.ys)]
  return { ops, xs, ys, anchored: beginsAtStart(root, how.backwards), looks, backwards: how.backwards }
}

class Writer {
  readonly ops: number[] = []
  readonly xs: number[] = []
  readonly ys: number[] = []
  looks = 0
  readonly #how: Parameters<typeof writeProgram>[1]

  constructor(how: Parameters<typeof writeProgram>[1]) {
    this.#how = how
  }

  emit(operation: number, x = 0, y = 0): number {
    this.xs.push(x)
    this.ys.push(y)
    return this.ops.push(operation) - 1
  }

  write(node: Node): void {
    if (node.kind === 'characters') this.emit(op.characters, this.#how.alphabet.indexOf(node.characters))
    else if (node.kind === 'assert') this.#assert(node.assertion)
    else if (node.kind === 'look') this.#look(node)
    else if (node.kind === 'repeat' && Number.isFinite(node.most)) this.#repeat(node)
    else if (node.kind === 'repeat') this.#endless(node)
    else if (node.kind === 'choice') this.#choice(node.parts)
    else for (const part of this.#how.backwards ? node.parts.toReversed() : node.parts) this.write(part)
  }

  /** A program that reads backwards meets the end first, so start and end are swapped. */
  #assert(assertion: Assertion): void {
    const { backwards, alphabet } = this.#how
    if (assertion === 'start') this.emit(backwards ? op.end : op.start)
    else if (assertion === 'end') this.emit(backwards ? op.start : op.end)
    else {
      alphabet.tellWordsApart()
      this.emit(assertion === 'boundary' ? op.boundary : op.noBoundary)
    }
  }

  #look(node: Look): void {
    const index = this.#how.indexOf(node)
    this.looks |= 1 << index
    this.emit(op.look, index, node.negative ? 1 : 0)
  }

  #choice(parts: readonly Node[]): void {
    const exits: number[] = []
    for (const part of parts.slice(0, -1)) {
      const split = this.emit(op.split)
      this.xs[split] = this.ops.length
      this.write(part)
      exits.push(this.emit(op.split))
      this.ys[split] = this.ops.length
    }
    this.write(parts.at(-1)!)
    for (const exit of exits) this.xs[exit] = this.ys[exit] = this.ops.length
  }

  #repeat({ part, least, most }: Repeat): void {
    for (let times = 0; times < least; times++) this.write(part)
    const exits: number[] = []
    for (let times = least; times < most; times++) {
      exits.push(this.emit(op.split))
      this.xs[exits.at(-1)!] = this.ops.length
      this.write(part)
    }
    for (const exit of exits) this.ys[exit] = this.ops.length
  }

  #endless({ part, least }: Repeat): void {
    for (let times = 1; times < least; times++) this.write(part)
    const skip = least === 0 ? this.emit(op.split, this.ops.length + 1) : undefined
    const start = this.ops.length
    this.write(part)
    const back = this.emit(op.split, start)
    for (const split of [skip, back]) if (split !== undefined) this.ys[split] = this.ops.length
  }
}

/** Can the node only match where reading begins? */
function beginsAtStart(node: Node, backwards: boolean): boolean {
  if (node.kind === 'assert') return node.assertion === (backwards ? 'end' : 'start')
  if (node.kind === 'repeat') return node.least > 0 && beginsAtStart(node.part, backwards)
  if (node.kind === 'choice') return node.parts.every((part) => beginsAtStart(part, backwards))
  const first = node.kind === 'sequence' ? node.parts.at(backwards ? -1 : 0) : undefined
  return first !== undefined && beginsAtStart(first, backwards)
}
