// How a client encodes calls and reads their results.
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { describe, expect, it } from 'vitest'
import { z } from 'zod'
import { connect } from '../../src/client/index.js'
import type { JsonObject } from '../../src/json.js'
import { server } from '../../src/server/server.js'
import { tool } from '../../src/tools/define-tool.js'
import { reply } from '../../src/tools/result.js'
import { every, since } from '../revisions.js'
import { connectScripted, Fails, plainTool, textResult, toolsPage } from './scripted.js'

const inputSchema = { type: 'object', properties: { n: { type: 'integer' } }, required: ['n'] }
const misfits = [{}, { n: '1' }, { n: 1.5 }, [], 'n'] as JsonObject[] // values that a careless caller may pass
const echo = { 'tools/list': toolsPage([plainTool('echo')]) }

describe.each(every)('%s', (revision) => {
  it('CALL-001 sends the name and valid arguments, and refuses invalid ones', async () => {
    const { client, server: scriptedServer } = await connectScripted(
      { 'tools/list': toolsPage([plainTool('count', { inputSchema }), plainTool('echo')]), 'tools/call': textResult('hi') },
      { revision },
    )
    for (const args of misfits)
      await expect(client.call('count', args)).rejects.toMatchObject({ name: 'InvalidArguments', foundBy: 'client' })
    expect(scriptedServer.received('tools/call')).toEqual([])
    await client.call('count', { n: 1 })
    await client.call('echo')
    const sent = scriptedServer.received('tools/call').map(({ params }) => params as JsonObject)
    expect(sent).toMatchObject([{ name: 'count', arguments: { n: 1 } }, { name: 'echo' }])
    expect(sent[1]?.arguments ?? {}).toEqual({})
  })

  it('CALL-008 ignores responses that are late, duplicate or unrelated, with a warning', async () => {
    const stop = new AbortController()
    let answerLate: (answer: JsonObject) => void = () => undefined
    const {
      client,
      server: scriptedServer,
      warnings,
    } = await connectScripted(
      {
        ...echo,
        'tools/call': async ({ id, params }, on) => {
          setTimeout(() => stop.abort())
          const { first } = params.arguments as { first?: boolean }
          if (first) return new Promise<JsonObject>((resolve) => (answerLate = resolve))
          on.say({ id: 987_654, result: textResult('of nobody') })
          on.say({ id: String(id), result: textResult('of another type') })
          on.say({ id: id as number, result: textResult('right') })
          return textResult('twice')
        },
      },
      { revision },
    )
    await client.listTools()
    const first = client.call('echo', { first: true }, { signal: stop.signal })
    await expect(first).rejects.toMatchObject({ code: 'cancelled' })
    answerLate(textResult('late'))
    await expect(client.call('echo')).resolves.toMatchObject({ content: [{ text: 'right' }] })
    await expect.poll(() => warnings.filter((text) => text.includes('was ignored'))).toHaveLength(4)
    await expect(client.call('echo')).resolves.toMatchObject({ content: [{ text: 'right' }] })
    expect(scriptedServer.dials).toBe(1)
  })
})

it('CALL-001 sends no invalid arguments to a pocket server', async () => {
  const seen: unknown[] = []
  const count = tool({
    description: 'Counts',
    input: z.object({ n: z.int() }),
    run: ({ n }) => {
      seen.push(n)
      return reply.text('counted')
    },
  })
  await using client = await connect(server({ name: 'pocket', version: '1.0.0', profile: 'pocket', tools: { count } }))
  for (const args of misfits)
    await expect(client.call('count', args)).rejects.toMatchObject({ name: 'InvalidArguments', foundBy: 'client' })
  await expect(client.call('count', { n: 1 })).resolves.toMatchObject({ isError: false })
  expect(seen).toEqual([1])
})

describe('2025-11-25, tasks', () => {
  const declared = { tools: {}, tasks: { requests: { tools: { call: {} } } } }
  const start = (capabilities: JsonObject, taskSupport?: string) =>
    connectScripted(
      {
        'tools/list': toolsPage([plainTool('build', taskSupport ? { execution: { taskSupport } } : {})]),
        'tools/call': ({ params }) => ('task' in params ? new Fails(-32603, 'began') : textResult('done')),
      },
      { revision: '2025-11-25', capabilities },
    )

  it.each([
    [declared, 'optional'],
    [declared, 'forbidden'],
    [declared, undefined],
    [{ tools: {} }, 'optional'],
    [{ tools: {} }, undefined],
  ])('CALL-009 requests no task of %j if the tool says %s', async (capabilities, support) => {
    const { client } = await start(capabilities, support)
    await expect(client.call('build')).resolves.toMatchObject({ content: [{ text: 'done' }] })
  })

  it.each([
    { tools: {} },
    { tools: {}, tasks: {} },
    { tools: {}, tasks: { list: {}, requests: { sampling: {} } } },
  ])('CALL-009 does not call a tool that needs a task on a server with %j', async (capabilities) => {
    const { client, server: scriptedServer } = await start(capabilities as JsonObject, 'required')
    await expect(client.call('build')).rejects.toMatchObject({ code: 'not_offered', message: expect.stringContaining('task') })
    expect(scriptedServer.received('tools/call')).toEqual([])
  })

  it('CALL-009 requests a task if the tool needs one and the server supports tasks', async () => {
    const { client } = await start(declared, 'required')
    await expect(client.call('build')).rejects.toMatchObject({ message: 'began' })
  })
})

describe.each(since('2025-06-18'))('links, %s', (revision) => {
  it('RESULT-008 RESULT-009 reads and watches a link only through its own server, listed or not', async () => {
    let visits = 0
    const inside = createServer((_, response) => {
      visits++
      response.end('secret')
    })
    await new Promise<void>((resolve) => inside.listen(0, '127.0.0.1', resolve))
    const uris = ['file:///etc/passwd', `http://127.0.0.1:${(inside.address() as AddressInfo).port}/`, 'shop://7']
    const { client, server: scriptedServer } = await connectScripted(
      {
        ...echo,
        'tools/call': textResult('', { content: uris.map((uri) => ({ type: 'resource_link', uri, name: uri })) }),
        'resources/list': { resultType: 'complete', resources: [], ttlMs: 0, cacheScope: 'private' },
        'resources/read': ({ params }) => ({
          resultType: 'complete',
          contents: [{ uri: String(params.uri), text: 'from the server' }],
          ttlMs: 0,
          cacheScope: 'private',
        }),
        'resources/subscribe': {},
        'subscriptions/listen': ({ id, params }, on) => {
          const _meta = { 'io.modelcontextprotocol/subscriptionId': id as number }
          const notifications = params.notifications as JsonObject
          on.notify('notifications/subscriptions/acknowledged', { _meta, notifications })
          return new Promise(() => undefined)
        },
      },
      { revision, capabilities: { tools: {}, resources: { subscribe: true } } },
    )
    const { content } = await client.call('echo')
    expect(scriptedServer.received('resources/read')).toEqual([])
    for (const link of content) {
      const uri = link.type === 'resource_link' ? link.uri : ''
      await expect(client.readResource(uri)).resolves.toEqual([{ uri, text: 'from the server' }])
      await client.watch(uri)
    }
    expect(scriptedServer.received('resources/read').map(({ params }) => (params as JsonObject).uri)).toEqual(uris)
    expect([...scriptedServer.received('resources/subscribe'), ...scriptedServer.received('subscriptions/listen')]).toHaveLength(
      3,
    )
    expect(scriptedServer.received('resources/list')).toEqual([])
    expect(visits).toBe(0)
    await new Promise((resolve) => inside.close(resolve))
  })
})

describe.each(since('2026-07-28'))('structured results, %s', (revision) => {
  it('STRUCT-010 distinguishes a structured result of null from a missing one', async () => {
    const { client } = await connectScripted(
      {
        'tools/list': toolsPage([plainTool('free'), plainTool('typed', { outputSchema: { type: ['null', 'number'] } })]),
        'tools/call': ({ params }) => textResult('text', (params.arguments as { more: JsonObject }).more),
      },
      { revision },
    )
    const call = (name: string, more: JsonObject) => client.call(name, { more })
    expect(await call('free', {})).not.toHaveProperty('structuredContent')
    expect(await call('free', { structuredContent: null })).toHaveProperty('structuredContent', null)
    expect(await call('free', { structuredContent: 0 })).toHaveProperty('structuredContent', 0)
    expect(await call('typed', { structuredContent: null })).toHaveProperty('structuredContent', null)
    await expect(call('typed', {})).rejects.toMatchObject({ name: 'InvalidResult' })
    expect(await client.tools.free?.({ more: { structuredContent: null } })).toBeNull()
    expect(await client.tools.free?.({ more: {} })).toMatchObject({ content: [{ text: 'text' }] })
  })
})
