// A glob means the same in rules and in every setting.
import fc from 'fast-check'
import { explain } from 'toolwire/rules'
import { describe, expect, it } from 'vitest'
import { expectWithin, howMany } from '../../../toolwire/test/soak.js'
import { matchesAny } from '../../src/config/globs.js'
import { folderForEach } from './config-folder.js'

const folder = folderForEach()

describe('a glob', () => {
  it('matches the same names as in a rule, and as a regular expression', () => {
    const textOf = (...parts: string[]) =>
      fc.array(fc.constantFrom(...parts), { minLength: 1, maxLength: 8 }).map((all) => all.join(''))
    const globs = textOf('a', 'b', '.', '__', '*', '?')
    const names = textOf('a', 'b', '.', '__', '\n', '😀')
    fc.assert(
      fc.property(globs, names, (glob, name) => {
        const rules = { default: 'deny', rules: [{ name: 'r', decision: 'allow', when: { tool: glob } }] } as const
        const pattern = glob.replaceAll('.', '\\.').replaceAll('*', '.*').replaceAll('?', '.')
        expect(matchesAny(['other', glob], name)).toBe(explain(rules, { tool: name }).decision === 'allow')
        expect(matchesAny([glob], name)).toBe(new RegExp(`^${pattern}$`, 'su').test(name))
      }),
      { numRuns: howMany(200, 5_000) },
    )
  })

  it('is compared quickly, even beside a thousand others, and with a name that almost fits', () => {
    const names = Array.from({ length: 50 }, (_, nth) => `server_${nth % 40}__a_tool_with_a_number_${nth}`)
    const globs = Array.from({ length: 1_001 }, (_, nth) => `server_${nth % 40}__*_no_tool_${nth}`)
    const startedAt = performance.now()
    for (const name of names) expect(matchesAny(globs, name)).toBe(false)
    expect(matchesAny([`${'*a'.repeat(60)}b`], 'a'.repeat(10_000))).toBe(false)
    // It takes 30 ms. Compiled patterns take more than 10 s.
    expectWithin(performance.now() - startedAt, 1_000)
  })

  const servers = { mcpServers: { a: { command: 'x' } } }
  it.each([
    ['/toolwire/sets/s/1', (glob: string) => ({ sets: { s: ['a', glob] } })],
    ['/toolwire/servers/a/only/0', (glob: string) => ({ servers: { a: { only: [glob] } } })],
    ['/toolwire/servers/a/only/1', (glob: string) => ({ servers: { a: { only: ['a', { tool: glob, optional: true }] } } })],
    ['/toolwire/commands/0', (glob: string) => ({ commands: [glob, '*'] })],
    ['/toolwire/clients/KEY', (glob: string) => ({ clients: { [glob]: { schemas: 'plain' } } })],
  ] as const)('is refused at %s if it has more than * and ?', async (at, toolwire) => {
    for (const glob of ['{a,b}_*', '[ab]_*', '!a*', 'a\\*']) {
      const problems = [{ at: at.replace('KEY', glob), message: expect.stringContaining('a glob knows * and ? only') }]
      await expect(folder.load({ ...servers, toolwire: toolwire(glob) })).rejects.toMatchObject({ problems })
    }
    await expect(folder.load({ ...servers, toolwire: toolwire('x*?') })).resolves.toBeDefined()
  })
})
