// JavaScript regular expressions, matched in linear time even if the pattern is untrusted.
import { SchemaError } from '../schema-error.js'
import { Alphabet } from './alphabet.js'
import { Automaton } from './automaton.js'
import { propertiesIn, sizeOfClasses, withoutProperties } from './character-set.js'
import { parsePattern } from './parse.js'
import { sizeOf, writeProgram } from './program.js'
import { type Meter, type Node, PatternError, type Syntax } from './syntax.js'

/** A compiled pattern: `test` searches a text in linear time and charges the meter as it goes. */
export type Pattern = { test(text: string, meter: Meter): boolean }

/** Compiles the source of a pattern, or refuses it with a SchemaError. */
export type PatternEngine = (source: string) => Pattern

/** Instructions that each pattern counts in addition to its size. */
const perPattern = 20
/** Instructions that each distinct property counts. */
const perProperty = 16
/** Characters of one pattern for each instruction that is allowed. */
const mostCharacters = 16
/** Lookarounds per pattern: each is one bit of a byte. */
const mostLooks = 8

/** Creates an engine for one schema, with a limit on the instructions of all its patterns together. */
export function linearPatterns(mostInstructions: number): PatternEngine {
  let instructions = 0
  return (source) => {
    const reserve = (size: number) => {
      instructions += size
      if (instructions <= mostInstructions) return
      const reason = `with it, the patterns of the schema amount to more than ${mostInstructions} instructions`
      throw refused(source, reason, 'Shorten it or repeat less.')
    }
    // Counted before the engine of the language reads the source, which takes long for long classes and for properties.
    if (source.length > mostInstructions * mostCharacters) reserve(mostInstructions)
    reserve(perPattern + sizeOfClasses(source) + propertiesIn(source).length * perProperty)
    const syntax = parsed(source)
    reserve(sizeOf(syntax.root))
    return linearPattern(source, syntax)
  }
}

/** JSON Schema asks for Unicode mode, but many schemas contain escapes that only plain mode accepts: ^[\w\-\@]+$ */
function parsed(source: string): Syntax {
  const unicode = isExpression(source, 'u')
  if (!unicode && !isExpression(source, '')) {
    throw new SchemaError('pattern', `The pattern /${source.slice(0, 200)}/ is not a regular expression; correct it.`)
  }
  try {
    return parsePattern(source, unicode)
  } catch (thrown) {
    if (!(thrown instanceof PatternError)) throw thrown
    throw refused(source, thrown.message, 'Patterns run in linear time: rewrite it without.')
  }
}

function isExpression(source: string, flags: string): boolean {
  try {
    return new RegExp(flags === 'u' ? withoutProperties(source) : source, flags) instanceof RegExp
  } catch {
    return false // the caller reports it, with the source
  }
}

const refused = (source: string, reason: string, advice: string): SchemaError =>
  new SchemaError('pattern', `The pattern /${source.slice(0, 200)}/ is refused (${reason}). ${advice}`)

function linearPattern(source: string, { root, unicode }: Syntax): Pattern {
  const alphabet = new Alphabet(unicode)
  // Inner lookarounds come first, because outer ones read their results.
  const looking: Automaton[] = []
  const indexOf = (look: Extract<Node, { kind: 'look' }>): number => {
    const program = writeProgram(look.part, { alphabet, indexOf, backwards: !look.behind })
    if (looking.length === mostLooks) throw refused(source, `more than ${mostLooks} lookaheads or lookbehinds`, 'Use fewer.')
    return looking.push(new Automaton(program, alphabet)) - 1
  }
  const main = new Automaton(writeProgram(root, { alphabet, indexOf, backwards: false }), alphabet)
  const search = (text: string, meter: Meter): boolean => {
    if (looking.length === 0) return main.search(text, undefined, meter)
    meter.spend(text.length >> 6)
    const looks = new Uint8Array(text.length + 1)
    for (const [index, automaton] of looking.entries()) automaton.search(text, looks, meter, 1 << index)
    return main.search(text, looks, meter)
  }
  const test = (text: string, meter: Meter): boolean => {
    try {
      return search(text, meter)
    } finally {
      if (alphabet.isFull) {
        alphabet.forget()
        for (const automaton of [main, ...looking]) automaton.forget()
      }
    }
  }
  return { test }
}
