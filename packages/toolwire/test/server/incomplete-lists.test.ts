// The errors for unknown entries while the lists of a server are still incomplete.
import { server, tool } from 'toolwire'
import { harness } from 'toolwire/testing'
import { expect, it } from 'vitest'
import { every } from '../revisions.js'

const incomplete = 'More may come.'
const served = { tools: true, resources: true, prompts: true, completions: true, incomplete }
const secret = tool({ description: 'Is seen by some.', scopes: ['all'], run: () => 'secret' })
const app = server({ name: 's', version: '1', tools: { secret }, serves: () => served })

it('a hidden tool looks like one that does not exist', async () => {
  const t = await harness(app, { caller: { id: 'eve', scopes: [] } })
  const said = (name: string) => `Unknown tool: ${name}. ${incomplete}`
  for (const name of ['secret', 'absent']) {
    expect(await t.call(name)).toMatchObject({ isError: true, content: [{ type: 'text', text: said(name) }] })
  }
})

const argument = { name: 'a', value: '' }
const absent = [
  ['prompts/get', { name: 'absent' }],
  ['resources/read', { uri: 'absent:1' }],
  ['completion/complete', { ref: { type: 'ref/prompt', name: 'absent' }, argument }],
  ['completion/complete', { ref: { type: 'ref/resource', uri: 'absent:{a}' }, argument }],
] as const

it.each(every)('a read of an entry that may still come is unavailable, at %s', async (revision) => {
  await using t = await harness(app, { revision })
  for (const [method, params] of absent)
    await expect(t.request(method, params)).rejects.toMatchObject({ code: -32603, message: expect.stringContaining(incomplete) })
})
