// `--help` of the fleet.
import { execFile } from 'node:child_process'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { expect, it } from 'vitest'
import { knownOptions, usage } from '../src/options.js'

it('the usage has all options, and no others', () => {
  const named = [...usage.matchAll(/^ {2}--(\w+)/gm)].map(([, name]) => name)
  expect(named.toSorted()).toEqual(Object.keys(knownOptions).toSorted())
})

it('the usage and the faults are printed, and nothing is run', async () => {
  const run = fileURLToPath(new URL('../dist/run.js', import.meta.url))
  const { stdout, stderr } = await promisify(execFile)(process.execPath, [run, 'faults', '--help'])
  expect(stdout).toContain(`${usage}\n\nFaults: `)
  expect(stderr).toBe('')
})
