import type { RE2JS } from 're2js'
import type { LinearEngine } from './linear-engine.js'
import { patternSize } from './pattern-size.js'
import type { PatternEngine } from './patterns.js'
import { SchemaError } from './schema-error.js'

/** What all patterns of one schema may amount to, in instructions. */
const mostInstructions = 5_000
/** What even the smallest pattern costs to compile, and to look with. */
const perPattern = 20
const perLook = 8

/** Unicode categories by the long names that ECMAScript allows and RE2 does not know. */
const categories: Record<string, string> = {
  ...{
    Letter: 'L',
    Lowercase_Letter: 'Ll',
    Uppercase_Letter: 'Lu',
    Titlecase_Letter: 'Lt',
    Modifier_Letter: 'Lm',
    Other_Letter: 'Lo',
  },
  ...{ Number: 'N', Decimal_Number: 'Nd', Letter_Number: 'Nl', Other_Number: 'No', Mark: 'M', Nonspacing_Mark: 'Mn' },
  ...{
    Punctuation: 'P',
    Symbol: 'S',
    Currency_Symbol: 'Sc',
    Math_Symbol: 'Sm',
    Separator: 'Z',
    Space_Separator: 'Zs',
    Other: 'C',
  },
}

/** An engine for one schema whose time grows with the text and the pattern only, for patterns that came over a wire or may take long otherwise. */
export function linearPatterns(engine: LinearEngine): PatternEngine {
  let instructions = 0
  return (source) => {
    instructions += perPattern + patternSize(source)
    if (instructions > mostInstructions) throw tooMuch(source)
    const expression = linearExpression(engine, source)
    const size = expression.programSize()
    return { test: (text) => expression.test(text), cost: (length) => perLook + ((length * size) >> 5) }
  }
}

function linearExpression(engine: LinearEngine, source: string): RE2JS {
  try {
    return engine.compile(engine.translateRegExp(withShortCategories(source)))
  } catch (thrown) {
    const reason = thrown instanceof Error ? thrown.message.replace('error parsing regexp: ', '') : 'unknown'
    const advice = 'Such patterns run in linear time: rewrite it without lookaround and backreferences.'
    throw new SchemaError('pattern', `The pattern /${source.slice(0, 200)}/ is refused (${reason}). ${advice}`, {
      cause: thrown,
    })
  }
}

function withShortCategories(source: string): string {
  return source.replace(/\\([pP])\{(?:(?:General_Category|gc|Script|sc)=)?(\w+)\}/g, (_, letter: string, name: string) => {
    return `\\${letter}{${categories[name] ?? name}}`
  })
}

function tooMuch(source: string): SchemaError {
  const reason = `with it, the patterns of the schema amount to more than ${mostInstructions} instructions`
  return new SchemaError('pattern', `The pattern /${source.slice(0, 200)}/ is refused (${reason}). Shorten it or repeat less.`)
}
