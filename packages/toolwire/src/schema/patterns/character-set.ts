// Character sets, read as the parts that JavaScript's own RegExp is asked about. V8 takes about a millisecond to read and compile a property
// such as \p{L}, wherever it stands. A pattern may name thousands, so each property is compiled once for the process.

/** A character belongs to the set if one of the tests holds, or with `negated` if none does. */
export type CharacterSet = { readonly tests: readonly RegExp[]; readonly negated: boolean }

/** No name of a property is longer, and the bound keeps the search linear. */
const propertyEscape = /\\(?:[pP]\{[^}]{1,100}\}|[\s\S])/g
const isProperty = (written: string): boolean => /^\\[pP]\{/.test(written)
const token = /\\(?:[pPu]\{[^}]{1,100}\}|[\s\S])|[\s\S]/gu
/** Tests by their source. Unicode has a few thousand names of properties, and only these are kept. */
const properties = new Map<string, RegExp>()

function propertyTest(written: string): RegExp {
  const known = properties.get(written)
  if (known) return known
  const test = new RegExp(`^${written}$`, 'u')
  properties.set(written, test)
  return test
}

const classOrEscape = /\\[\s\S]|\[(?:\\[\s\S]|[^\]\\])*/g

/** Number of characters, ranges and escapes in the classes of a source, which need not be valid. Repeated classes count half. */
export function sizeOfClasses(source: string): number {
  const all = (source.match(classOrEscape) ?? []).filter((one) => one.startsWith('['))
  const sizeOf = (classes: Iterable<string>) => [...classes].reduce((sum, one) => sum + (one.match(token)?.length ?? 0), 0)
  return (sizeOf(all) + sizeOf(new Set(all))) >> 1
}

/** The distinct property escapes of a source. */
export const propertiesIn = (source: string): readonly string[] => [...new Set(source.match(propertyEscape)?.filter(isProperty))]

/** A source without property escapes, for checking its syntax in Unicode mode. Throws for an unknown property. */
export const withoutProperties = (source: string): string =>
  source.replace(propertyEscape, (written) => {
    if (!isProperty(written)) return written
    propertyTest(written)
    return '\\w' // valid in the same places
  })

/** Reads the source of a class, an escape or `.`. */
export function characterSet(source: string, unicode: boolean): CharacterSet {
  if (!unicode || propertiesIn(source).length === 0)
    return { tests: [new RegExp(`^${source}$`, unicode ? 'u' : '')], negated: false }
  if (isProperty(source)) return { tests: [propertyTest(source)], negated: false }
  const negated = source.startsWith('[^')
  const inside = source.slice(negated ? 2 : 1, -1).match(token) ?? []
  const named = new Set(inside.filter(isProperty))
  // No range begins or ends at a property, so what is between two of them keeps its meaning. Joined, two halves could become one character.
  const others = ['']
  for (const one of inside) {
    if (isProperty(one)) others.push('')
    else others[others.length - 1] += one
  }
  const rest = [...new Set(others)]
    .filter((part) => part !== '')
    .map((part) => new RegExp(`^[${part.replace(/^\^/, '\\^')}]$`, 'u'))
  return { tests: [...[...named].map(propertyTest), ...rest], negated }
}
