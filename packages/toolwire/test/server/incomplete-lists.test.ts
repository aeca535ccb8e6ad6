// What is said about entries that are not there while a server may still get more.
import { server, tool } from 'toolwire'
import { harness } from 'toolwire/testing'
import { expect, it } from 'vitest'

const incomplete = 'More may come.'
const served = { tools: true, resources: true, prompts: true, completions: true, incomplete }
const secret = tool({ description: 'Is seen by some.', scopes: ['all'], run: () => 'secret' })
const app = server({ name: 's', version: '1', tools: { secret }, serves: () => served })

it('a tool that the caller may not see looks like one that is not there', async () => {
  const t = await harness(app, { caller: { id: 'eve', scopes: [] } })
  const said = (name: string) => `Unknown tool: ${name}. ${incomplete}`
  for (const name of ['secret', 'absent']) {
    expect(await t.call(name)).toMatchObject({ isError: true, content: [{ type: 'text', text: said(name) }] })
  }
})
