// JSON texts with one defect at a random place.
import fc from 'fast-check'

/** The defective value, and the error code for it. */
const defects = [
  ['number', '9007199254740993'],
  ['number', '-9007199254740993'],
  ['number', '9007199254740993.0'],
  ['number', '90071992547409930e-1'],
  ['number', '100000000000000000001'],
  ['number', '1.00000000000000000001e20'],
  ['number', '18446744073709551615'],
  ['number', '1e400'],
  ['number', '-1e309'],
  ['number', '1e-400'],
  ['number', `0.${'0'.repeat(330)}1`],
  ['number', `0.${'0'.repeat(230)}1e-99`],
  ['number', '1E-0400'],
  ['surrogate', '"a\\ud800"'],
  ['surrogate', '"\\udc00b"'],
  ['duplicate', '{"a":1,"\\u0061":2}'],
  ['duplicate', '{"__proto__":1,"__proto__":2}'],
] as const

type Step = string | number
/** A text with a defect, the pointer of its place, and its kind. */
export type Defective = { readonly text: string; readonly path: readonly Step[]; readonly code: string; readonly bad: string }

const name = fc.oneof(
  fc.stringMatching(/^[a-z]{1,6}$/),
  fc.constantFrom('__proto__', 'id', 'maximum', 'a b', 'é', 'a/b', '"', '\\'),
)
const plain = fc.jsonValue({ maxDepth: 2 }).map((value) => JSON.stringify(value) ?? 'null')
const around = fc.record({
  key: fc.option(name, { nil: undefined }),
  before: fc.array(plain, { maxLength: 3 }),
  after: fc.array(plain, { maxLength: 2 }),
})

/** A value with the defect nested inside. */
export const defective: fc.Arbitrary<Defective> = fc
  .tuple(fc.constantFrom(...defects), fc.array(around, { maxLength: 6 }))
  .map(([[code, bad], levels]) => {
    const inside = code === 'duplicate' ? [bad.includes('__proto__') ? '__proto__' : 'a'] : []
    return levels.reduce<Defective>(
      ({ text, path, ...rest }, { key, before, after }) =>
        key === undefined
          ? { ...rest, path: [before.length, ...path], text: `[${[...before, text, ...after].join(', ')}]` }
          : {
              ...rest,
              path: [key, ...path],
              text: `{${[...before.map((value, at) => `"${at}": ${value}`), `${JSON.stringify(key)} : ${text}`].join()}}`,
            },
      { text: bad, path: inside, code, bad },
    )
  })

export const pointerOf = (path: readonly Step[]): string =>
  path.map((step) => `/${String(step).replaceAll('~', '~0').replaceAll('/', '~1')}`).join('')

/** Numbers that JavaScript represents exactly, close to the limits. */
export const exact: readonly string[] = [
  ...['9007199254740991', '-9007199254740991', '9007199254740992', '9007199254740994', '1e20', '100000000000000000000', '1e308'],
  ...['0', '0.0', '0e-999', '5e-324', '0.1', '0.10000000000000001', '1.7976931348623157e308', '9007199254740991.0'],
]
