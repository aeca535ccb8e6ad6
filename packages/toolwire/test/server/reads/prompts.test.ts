import { prompt, server } from 'toolwire'
import { expect, it } from 'vitest'
import { harness } from '../../../src/testing/index.js'

it.each([
  'topic',
  'constructor',
  'toString',
])('a required argument that is missing is refused, although every object may inherit %s', async (name) => {
  const write = prompt({ args: { [name]: { required: true } }, run: () => 'Write' })
  await using t = await harness(server({ name: 'a', version: '1', prompts: { write } }), { revision: '2025-11-25' })
  await expect(t.request('prompts/get', { name: 'write', arguments: {} })).rejects.toThrow(
    `The prompt needs the argument "${name}"`,
  )
})
