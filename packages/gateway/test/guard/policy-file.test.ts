// The policy file, when the config names one after another.
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, it, onTestFinished } from 'vitest'
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
