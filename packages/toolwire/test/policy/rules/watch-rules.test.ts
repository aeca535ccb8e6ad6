import { mkdtemp, rename, rm, symlink, unlink, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import type { WatchRulesOptions } from '../../../src/policy/rules/read/watch-rules.js'
import { explain, loadRules, type RulesError, rules, type WatchedRules, watchRules } from '../../../src/rules.js'
import { callOf, done, through } from '../call.js'

const allows = 'default: allow\nrules: []\n'
const denies = 'default: deny\nrules: []\n'

let folder: string
let path: string
let errors: RulesError[]
let watched: WatchedRules | undefined

beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'rules-'))
  path = join(folder, 'policy.yaml')
  errors = []
})
afterEach(async () => {
  watched?.close()
  watched = undefined
  await rm(folder, { recursive: true, force: true })
})

async function watchFile(text: string, options: Partial<WatchRulesOptions> = {}): Promise<WatchedRules> {
  await writeFile(path, text)
  watched = await watchRules(path, { settleMs: 20, pollMs: 100, onError: (error) => void errors.push(error), ...options })
  return watched
}
const decision = (source: WatchedRules) => explain(source, { tool: 't' }).decision
const eventually = (source: WatchedRules, wanted: string) =>
  vi.waitFor(() => expect(decision(source)).toBe(wanted), { timeout: 60_000 })
const untilReported = (message: RegExp) => vi.waitFor(() => expect(errors.at(-1)?.message).toMatch(message), { timeout: 60_000 })

describe('a watched file', () => {
  it('is applied as soon as it changes, without a restart', async () => {
    const source = await watchFile(allows)
    const policy = rules(source)
    expect((await through(policy, callOf())).result).toBe(done)
    await writeFile(path, denies)
    await eventually(source, 'deny')
    expect((await through(policy, callOf())).refusal).toMatchObject({ reason: 'unknown-tool' })
    expect(errors).toEqual([])
  })

  it('may be replaced by a rename, or be a link that changes its target', async () => {
    const source = await watchFile(allows)
    await writeFile(`${path}.new`, denies)
    await rename(`${path}.new`, path)
    await eventually(source, 'deny')
    await writeFile(join(folder, 'v2'), allows)
    await symlink('v2', join(folder, 'link'))
    await rename(join(folder, 'link'), path)
    await eventually(source, 'allow')
  })

  it.each([
    ['half-written', 'default: deny\nrules:\n  - name: a\n    when: { tool: [', /policy\.yaml:\d+: /],
    ['empty', '', /policy\.yaml:1: /],
    ['wrong', 'default: maybe\nrules: []\n', /policy\.yaml:1: .*default/],
    ['at odds with its cases', `${denies}cases:\n  - call: { tool: t }\n    expect: allow\n`, /policy\.yaml:4: /],
  ])('that is %s leaves the last valid one in force, with one report', async (_, text, message) => {
    const source = await watchFile(allows)
    await writeFile(path, text)
    await untilReported(message)
    expect(decision(source)).toBe('allow')
    expect(source.trouble).toBe(errors[0])
    await new Promise((resolve) => setTimeout(resolve, 350))
    expect(errors).toHaveLength(1)
    await writeFile(path, denies)
    await eventually(source, 'deny')
    expect(source.trouble).toBeUndefined()
  })

  it('that is deleted leaves the last valid one in force, and is read when it returns, even unchanged', async () => {
    const source = await watchFile(denies)
    await unlink(path)
    await untilReported(/cannot be read.*ENOENT/)
    expect(decision(source)).toBe('deny')
    await writeFile(path, denies)
    await vi.waitFor(() => expect(source.trouble).toBeUndefined(), { timeout: 60_000 })
    expect(decision(source)).toBe('deny')
  })

  it('is not read while it is still being written', async () => {
    const seen: string[] = []
    const source = await watchFile(allows, {
      settleMs: 1_000,
      onChange: ({ set }) => void seen.push(set.rules.map(({ name }) => name).join()),
    })
    let text = 'default: deny\nrules:\n'
    for (const name of ['a', 'b', 'c', 'd', 'e']) {
      text += `  - { name: ${name}, decision: deny }\n`
      await writeFile(path, text)
      await new Promise((resolve) => setTimeout(resolve, 30))
    }
    await eventually(source, 'deny')
    expect(seen).toEqual(['a,b,c,d,e'])
  })

  it('stays watched, with its own trouble, if a hook throws', async () => {
    const thrown = vi.spyOn(console, 'error').mockImplementation(() => undefined)
    const reports = (what: string) => thrown.mock.calls.filter(([line]) => String(line).includes(`${what} threw`))
    let changes = 0
    let found = 0
    const source = await watchFile(allows, {
      onError: () => {
        found++
        throw new Error('hook failed')
      },
      onChange: () => {
        changes++
        throw new Error('hook failed')
      },
    })
    await writeFile(path, 'default: maybe\nrules: []\n')
    await vi.waitFor(() => expect(reports('onError')).toHaveLength(1), { timeout: 60_000 })
    expect(source.trouble?.message).toMatch(/default/)
    await writeFile(path, denies)
    await vi.waitFor(() => expect(reports('onChange')).toHaveLength(1), { timeout: 60_000 })
    expect(decision(source)).toBe('deny')
    expect(source.trouble).toBeUndefined()
    await writeFile(path, allows)
    await eventually(source, 'allow')
    expect([found, changes]).toEqual([1, 2])
    thrown.mockRestore()
  })

  it('must exist and be valid at the start', async () => {
    const watch = (name: string) => watchRules(join(folder, name), { onError: () => undefined })
    await expect(watch('none.yaml')).rejects.toThrow(/none\.yaml: cannot be read/)
    await writeFile(path, 'rules: 5')
    await expect(watch('policy.yaml')).rejects.toThrow(/policy\.yaml:1: \/rules/)
    await expect(loadRules(path)).rejects.toThrow(/policy\.yaml:1: \/rules/)
    await writeFile(join(folder, 'p.json'), '{"default":"deny","rules":[]}')
    expect((await loadRules(join(folder, 'p.json'))).set.default).toBe('deny')
  })

  it('is not watched after it is closed', async () => {
    const source = await watchFile(allows)
    source.close()
    await writeFile(path, denies)
    await new Promise((resolve) => setTimeout(resolve, 300))
    expect(decision(source)).toBe('allow')
  })
})
