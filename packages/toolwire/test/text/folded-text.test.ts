// Two foldings of a name: rules deny names that a program may confuse, and a scan warns of names that a person may confuse.
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { scan } from '../../src/guard.js'
import { explain } from '../../src/rules.js'
import { foldName, foldText } from '../../src/text/folded-text.js'
import { howMany } from '../soak.js'

const isDenied = (name: string, rule: string) =>
  explain({ rules: [{ name: 'it', when: { tool: rule }, decision: 'deny' }] }, { tool: name }).decision === 'deny'

describe('a folded name', () => {
  it.each([
    ['letter case', 'Delete_All'],
    ['width', 'ｄｅｌｅｔｅ_all'],
    ['an invisible character', 'del\u200bete_all'],
    ['a soft hyphen', 'delete\u00ad_all'],
  ])('is unchanged by %s, for rules and for a scan', (_, name) => {
    expect([foldName(name), foldText(name).text]).toEqual(['delete_all', 'delete_all'])
    expect([isDenied(name, 'delete_all'), isDenied(name, 'delete_*')]).toEqual([true, true])
  })

  it.each([
    ['an accent', 'mullér', 'muller'],
    ['a letter of another script', 'dеlete_all', 'delete_all'],
  ])('differs for rules after %s, because two people may have these names; for a scan it is the same', (_, name, other) => {
    expect(foldName(name)).not.toBe(other)
    expect(foldText(name).text).toBe(other)
    expect(isDenied(name, other)).toBe(false)
    expect(scan({ name, description: 'Does it.' }, { others: [{ name: other }] })).toContainEqual(
      expect.objectContaining({ kind: 'look-alike' }),
    )
  })

  it('is never equal for rules if it differs for a scan', () => {
    const letters = fc.constantFrom(...'aAeEzZ09_-.', 'é', 'е', 'Ж', 'ｄ', '\u200b', '\u00ad', '\u0007', '\ue000', 'か', '漢')
    const name = fc.array(letters, { maxLength: 4 }).map((all) => all.join(''))
    fc.assert(
      fc.property(name, name, (one, other) => {
        if (foldName(one) === foldName(other)) expect(foldText(one).text).toBe(foldText(other).text)
      }),
      { seed: 14, numRuns: howMany(1_500, 5_000) },
    )
  })
})
