// Links of tools to resources that the server does not offer: one report to the operator.
import { type Content, reply, reportTo, resource, server, template, tool } from 'toolwire'
import { harness } from 'toolwire/testing'
import { afterEach, describe, expect, it } from 'vitest'
import { judged } from '../../official-schemas.js'

const reported: string[] = []
reportTo((_, where, fault) => reported.push(`${where}: ${(fault as Error).name}: ${(fault as Error).message}`))
afterEach(() => void reported.splice(0))

const giving = (...content: Content[]) => tool({ description: 'Gives', run: () => reply.content(...content) })
const embedded = (uri: string): Content => ({ type: 'resource', resource: { uri, text: 'x' } })
const linked = (uri: string): Content => ({ type: 'resource_link', uri, name: 'x' })
const text: Content = { type: 'text', text: 'x' }
const notes = {
  one: resource({ uri: 'notes://one', read: () => 'one', scopes: ['reading'] }),
  all: template({ uriTemplate: 'notes://{year}/{id}', read: () => 'x' }),
}

describe('a server whose tools link to resources that it does not offer', () => {
  it.each([
    ['embeds', embedded('memo://1')],
    ['links to', linked('memo://1')],
  ])('RESULT-007 reports it with the first result that %s one, and not again', async (how, block) => {
    const tools = { plain: giving(text), first: giving(text, block), second: giving(block) }
    const t = await judged(server({ name: 's', version: '1', tools }))
    await t.call('plain')
    expect(reported).toEqual([])
    await t.call('first')
    expect(reported).toEqual([
      expect.stringMatching(new RegExp(`^tool "first": Advice: it ${how} a resource \\(memo:…\\).*add it to .resources.`)),
    ])
    for (const name of ['first', 'second', 'first']) await t.call(name)
    expect(reported).toHaveLength(1)
  })

  it('RESULT-007 reports it if the tool was called as a task', async () => {
    const slow = tool({ description: 'Takes long', longRunning: 'required', run: () => reply.content(embedded('memo://1')) })
    const t = await harness(server({ name: 's', version: '1', tools: { slow } }), { revision: '2025-11-25' })
    const { task } = await t.request('tools/call', { name: 'slow', arguments: {}, task: {} })
    await t.request('tasks/result', { taskId: (task as { taskId: string }).taskId })
    expect(reported).toHaveLength(1)
  })
})

it.each([
  ['serves it', embedded('notes://one')],
  ['has a template for it', linked('notes://2026/7')],
  ['only points to the web', linked('https://shop.example/terms')],
])('a server that %s reports nothing', async (_, block) => {
  const t = await judged(server({ name: 's', version: '1', tools: { give: giving(block) }, resources: notes }))
  await t.call('give')
  expect(reported).toEqual([])
})
