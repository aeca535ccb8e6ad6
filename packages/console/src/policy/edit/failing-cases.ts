import type { PolicyCase } from '../../api/types.js'

/** What the rules make of their own cases where that is not what stands there, as problems of the text. */
export function failingCases(cases: readonly PolicyCase[]): readonly { readonly line?: number; readonly message: string }[] {
  return cases.flatMap(({ name, ok, expected, actual, line }) => {
    if (ok) return []
    const message = `${name}: expected ${expected ?? 'something else'}, got ${actual ?? 'another decision'}`
    return [{ message, ...(line !== undefined && { line }) }]
  })
}
