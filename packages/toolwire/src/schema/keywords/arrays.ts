import type { Json } from '../../json.js'
import { jsonIdentity } from '../compiler/equality.js'
import type { Check, ValidationRun } from '../compiler/validation-run.js'
import { type KeywordSite, keyword } from '../dialects/keyword.js'
import { count, flag, schema, schemaOrSchemas, schemas } from '../dialects/shapes.js'

export const minItems = keyword('minItems', count, (least): Check => {
  const expected = `an array of at least ${items(least)}`
  return (value, run) => !Array.isArray(value) || value.length >= least || run.fail('minItems', expected, value)
})

export const maxItems = keyword('maxItems', count, (most): Check => {
  const expected = `an array of at most ${items(most)}`
  return (value, run) => !Array.isArray(value) || value.length <= most || run.fail('maxItems', expected, value)
})

export const uniqueItems = keyword('uniqueItems', flag, (unique): Check | undefined => {
  if (!unique) return undefined
  return (value, run) => {
    if (!Array.isArray(value)) return true
    const repeated = firstRepeated(value, run)
    return (
      repeated === undefined ||
      run.note({ keyword: 'uniqueItems', message: `item ${repeated[1]} repeats item ${repeated[0]}; each item may occur once` })
    )
  }
})

/** To remember more takes longer, and more memory, than one message may. */
const mostRemembered = 200_000

function firstRepeated(values: readonly unknown[], run: ValidationRun): [first: number, again: number] | undefined {
  const simple = new Map<unknown, number>()
  const composite = new Map<string, number>()
  run.spend(values.length > mostRemembered ? Number.POSITIVE_INFINITY : values.length)
  for (let index = 0; index < values.length; index++) {
    const value = values[index]
    const isComposite = typeof value === 'object' && value !== null
    const first = isComposite ? remember(composite, jsonIdentity(value, run), index) : remember(simple, value, index)
    if (first !== undefined) return [first, index]
  }
  return undefined
}

/** Where the key was met before; otherwise notes that it was met here. */
function remember<Key>(known: Map<Key, number>, key: Key, index: number): number | undefined {
  const first = known.get(key)
  if (first === undefined) known.set(key, index)
  return first
}

export const prefixItems = keyword('prefixItems', schemas, (prefix, site) => tuple(prefix, site))

export const items2020 = keyword('items', schema, (rest, site) => {
  const prefix = site.sibling('prefixItems')
  return itemsFrom(Array.isArray(prefix) ? prefix.length : 0, rest, site)
})

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
  return (value, run) => {
    if (!Array.isArray(value)) return true
    const length = Math.min(checks.length, value.length)
    run.spend(length)
    run.seen?.indexesBelow(length)
    let holds = true
    for (let index = 0; index < length; index++) {
      if (run.member(checks[index]!, value[index], index)) continue
      holds = false
      if (run.decided) break
    }
    return holds
  }
}

function itemsFrom(start: number, item: Json, site: KeywordSite): Check {
  if (item === false) return noItemsFrom(start)
  const check = site.child(item)
  return (value, run) => {
    if (!Array.isArray(value)) return true
    run.spend(value.length)
    run.seen?.allIndexes()
    let holds = true
    for (let index = start; index < value.length; index++) {
      if (run.member(check, value[index], index)) continue
      holds = false
      if (run.decided) break
    }
    return holds
  }
}

function noItemsFrom(start: number): Check {
  const expected = `an array of at most ${items(start)}`
  return (value, run) => !Array.isArray(value) || value.length <= start || run.fail('items', expected, value)
}

export const contains = keyword('contains', schema, (item, site): Check => {
  const check = site.child(item)
  const least = countOf(site.sibling('minContains')) ?? 1
  const most = countOf(site.sibling('maxContains')) ?? Infinity
  return (value, run) => {
    if (!Array.isArray(value)) return true
    const found = countMatches(value, check, run)
    if (found < least) return run.fail('contains', `an array with at least ${items(least)} of the kind asked for`, value)
    return found <= most || run.fail('contains', `an array with at most ${items(most)} of the kind asked for`, value)
  }
})

function countMatches(values: readonly unknown[], check: Check, run: ValidationRun): number {
  let found = 0
  run.spend(values.length)
  for (let index = 0; index < values.length; index++) {
    if (!run.try(check, values[index])) continue
    found++
    run.seen?.index(index)
  }
  return found
}

export const minContains = keyword('minContains', count)
export const maxContains = keyword('maxContains', count)

function countOf(argument: Json | undefined): number | undefined {
  return typeof argument === 'number' ? argument : undefined
}

function items(length: number): string {
  return length === 1 ? '1 item' : `${length} items`
}
