// The errors for unknown entries while the lists of a server are still incomplete.
import { server, tool } from 'toolwire'
import { harness } from 'toolwire/testing'
import { expect, it } from 'vitest'

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
