import type { Json } from '../../json.js'
import { jsonEquals, jsonHash } from '../compiler/equality.js'
import type { Check, ValidationRun } from '../compiler/validation-run.js'
import { type KeywordSite, keyword } from '../dialects/keyword.js'
import { count, flag, schema, schemaOrSchemas, schemas } from '../dialects/shapes.js'

export const listSizes = [
  keyword('minItems', count, (least) => {
    const expected = `an array of at least ${items(least)}`
    return (value, run) => !Array.isArray(value) || value.length >= least || run.fail('minItems', expected, value)
  }),
  keyword('maxItems', count, (most) => atMost('maxItems', most)),
  keyword('uniqueItems', flag, (unique) => {
    if (!unique) return undefined
    return (value, run) => {
      const repeated = Array.isArray(value) ? firstRepeated(value, run) : undefined
      if (!repeated) return true
      const message = `item ${repeated[1]} repeats item ${repeated[0]}; each item may occur once`
      return run.note({ keyword: 'uniqueItems', message })
    }
  }),
  keyword('minContains', count),
  keyword('maxContains', count),
]

function atMost(name: string, most: number): Check {
  const expected = `an array of at most ${items(most)}`
  return (value, run) => !Array.isArray(value) || value.length <= most || run.fail(name, expected, value)
}

/** Remembering more items would take more time and memory than one message may cost. */
const mostRemembered = 200_000

function firstRepeated(values: readonly unknown[], run: ValidationRun): [first: number, again: number] | undefined {
  const simple = new Map<unknown, number>()
  const composite = new Map<number, number[]>()
  run.spend(values.length > mostRemembered ? Number.POSITIVE_INFINITY : values.length)
  for (const [index, value] of values.entries()) {
    if (isSimple(value)) {
      const first = simple.get(value)
      if (first !== undefined) return [first, index]
      simple.set(value, index)
      continue
    }
    const hash = jsonHash(value, run)
    const alike = composite.get(hash)
    const first = alike?.find((other) => jsonEquals(values[other], value, run))
    if (first !== undefined) return [first, index]
    if (alike) alike.push(index)
    else composite.set(hash, [index])
  }
  return undefined
}

const longText = 1_024

/** A map may compare each long text with each other one, and no step would be charged for it. */
const isSimple = (value: unknown): boolean =>
  typeof value === 'string' ? value.length < longText : typeof value !== 'object' || value === null

export const lists = [
  keyword('prefixItems', schemas, (prefix, site) => tuple(prefix, site)),
  keyword('items', schema, (rest, site) => {
    const prefix = site.sibling('prefixItems')
    return itemsFrom(Array.isArray(prefix) ? prefix.length : 0, rest, site)
  }),
  keyword('contains', schema, (item, site) => {
    const check = site.child(item)
    const least = countOf(site.sibling('minContains')) ?? 1
    const most = countOf(site.sibling('maxContains')) ?? Infinity
    return (value, run) => {
      if (!Array.isArray(value)) return true
      const found = countMatches(value, check, run)
      if (found < least) return run.fail('contains', `an array with at least ${matching(least)}`, value)
      return found <= most || run.fail('contains', `an array with at most ${matching(most)}`, value)
    }
  }),
]

/** Draft-07: a list of schemas is a tuple. */
export const items07 = keyword('items', schemaOrSchemas, (argument, site) =>
  Array.isArray(argument) ? tuple(argument, site) : itemsFrom(0, argument, site),
)

export const additionalItems = keyword('additionalItems', schema, (rest, site) => {
  const prefix = site.sibling('items')
  return Array.isArray(prefix) ? itemsFrom(prefix.length, rest, site) : undefined
})

function tuple(prefix: readonly Json[], site: KeywordSite): Check {
  const checks = prefix.map((item) => site.child(item))
  return everyItem([0, checks.length], (index) => checks[index]!)
}

function itemsFrom(start: number, item: Json, site: KeywordSite): Check {
  if (item === false) return atMost('items', start)
  const check = site.child(item)
  return everyItem([start, Infinity], () => check)
}

/** Checks the items of a range in order, until further issues would not be reported. */
function everyItem([start, end]: readonly [number, number], checkOf: (index: number) => Check): Check {
  return (value, run) => {
    if (!Array.isArray(value)) return true
    const length = Math.min(end, value.length)
    run.spend(length)
    run.seen?.indexesBelow(length)
    let holds = true
    for (let index = start; index < length; index++) {
      if (run.member(checkOf(index), value[index], index)) continue
      holds = false
      if (run.decided) break
    }
    return holds
  }
}

function countMatches(values: readonly unknown[], check: Check, run: ValidationRun): number {
  let found = 0
  run.spend(values.length)
  for (let index = 0; index < values.length; index++) {
    if (!run.try(check, values[index])) continue
    found++
    run.seen?.indexes.add(index)
  }
  return found
}

export const unevaluatedItems = keyword('unevaluatedItems', schema, (rest, site) => {
  const check = site.child(rest)
  return (value, run) => {
    if (!Array.isArray(value)) return true
    let holds = true
    run.spend(value.length)
    for (let index = 0; index < value.length; index++) {
      if (run.seen?.hasIndex(index) || run.member(check, value[index], index)) continue
      holds = false
      if (run.decided) break
    }
    run.seen?.indexesBelow(value.length)
    return holds
  }
})

const countOf = (argument: Json | undefined): number | undefined => (typeof argument === 'number' ? argument : undefined)

const items = (length: number): string => (length === 1 ? '1 item' : `${length} items`)

const matching = (length: number): string =>
  `${items(length)} that ${length === 1 ? 'matches' : 'match'} the schema under "contains"`
