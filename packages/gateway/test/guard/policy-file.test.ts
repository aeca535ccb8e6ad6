// The policy file, when the config names one after another.
import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it, onTestFinished } from 'vitest'
import type { PolicyText } from '../../src/config/gateway-config.js'
import { PolicyFile } from '../../src/guard/policy/policy-file.js'
import { folder } from '../support/running-gateway.js'

async function opened() {
  const directory = folder()
  const [good, other, bad] = ['good', 'other', 'bad'].map((name) => join(directory, `${name}.json`)) as [string, string, string]
  for (const path of [good, other]) writeFileSync(path, '{ "rules": [], "default": "deny" }')
  writeFileSync(bad, '{ "rules": 1 }')
  const reported: string[] = []
  const policy = new PolicyFile(true, {
    onChange: () => reported.push('change'),
    onTrouble: (trouble) => reported.push(trouble ? 'trouble' : 'mended'),
    toolsFor: () => [],
    check: () => [],
  })
  onTestFinished(() => policy.close())
  await policy.open(good)
  await policy.change(bad)
  expect(policy.trouble).toBeDefined()
  return { policy, good, other, reported }
}

it.each([
  'good',
  'other',
] as const)('reports no trouble any more once the config names a usable file: the %s one', async (name) => {
  const { policy, reported, ...files } = await opened()
  await policy.change(files[name])
  expect(policy.trouble).toBeUndefined()
  expect(reported).toEqual(['trouble', 'mended', 'change'])
  await policy.change(files[name])
  expect(reported).toHaveLength(3)
})

const nothing = () => undefined
const rulesOf = (decision: 'allow' | 'deny') => `{ "rules": [], "default": "${decision}" }`

describe.each(['a path', 'a text'] as const)('rules that the config names by %s', (kind) => {
  const placeOf = (name: string): string | PolicyText =>
    kind === 'a path' ? name : { name, text: readFileSync(name, 'utf8'), isFile: true }
  const written = (path: string, decision: 'allow' | 'deny') => {
    writeFileSync(path, rulesOf(decision))
    return path
  }
  const files = () => ['one', 'two'].map((name) => written(join(folder(), `${name}.json`), 'deny')) as [string, string]

  async function startedWith(path: string) {
    const policy = new PolicyFile(true, { onChange: nothing, onTrouble: nothing, toolsFor: () => [], check: () => [] })
    onTestFinished(() => policy.close())
    await policy.open(placeOf(path))
    return policy
  }

  it.each(['before', 'after'])('are not replaced by a save of the earlier file that ends %s the change begins', async (when) => {
    const [one, two] = files()
    const policy = await startedWith(one)
    const save = () => policy.written(written(one, 'allow'), rulesOf('allow'))
    const saving = when === 'before' ? save() : undefined
    const changing = policy.change(placeOf(two))
    await Promise.all([saving ?? save(), changing])
    expect([policy.path, policy.current.set.default]).toEqual([two, 'deny'])
  })

  it('are not replaced by a save that another program has overwritten since', async () => {
    const [one] = files()
    const policy = await startedWith(written(one, 'allow'))
    const changing = policy.change(placeOf(written(one, 'deny')))
    await Promise.all([changing, policy.written(one, rulesOf('allow'))])
    expect(policy.current.set.default).toBe('deny')
  })

  it('are those of a save at once, whose text is in the file', async () => {
    const [one] = files()
    const policy = await startedWith(one)
    await policy.written(written(one, 'allow'), rulesOf('allow'))
    expect(policy.current.set.default).toBe('allow')
  })

  it('are still reported as unusable after a save of the earlier file', async () => {
    const [one, two] = files()
    const policy = await startedWith(one)
    writeFileSync(two, '{ "rules": 1 }')
    await policy.change(placeOf(two))
    await policy.written(written(one, 'allow'), rulesOf('allow'))
    expect([policy.current.set.default, policy.trouble?.message]).toEqual(['allow', expect.stringContaining('rules')])
  })
})
