// Messages, ids, results and errors of a client.
import { describe, expect, it } from 'vitest'
import { CallFailure, connect } from '../../src/client/index.js'
import { RpcError } from '../../src/index.js'
import type { JsonObject } from '../../src/json.js'
import { TransportError } from '../../src/peer/client-transport.js'
import { server } from '../../src/server/server.js'
import { tool } from '../../src/tools/define-tool.js'
import { every, since, until } from '../revisions.js'
import { howMany } from '../soak.js'
import { connectScripted, Fails, plainTool, scriptedEndpoint, silence, textResult, toolsPage } from './scripted.js'

const echo = { 'tools/list': toolsPage([plainTool('echo')]), 'tools/call': textResult('hi') }
const modern = '2026-07-28'

describe.each(every)('%s', (revision) => {
  it('BASE-001 sends nothing but JSON-RPC 2.0', async () => {
    const { client, frames } = await connectScripted(echo, { revision })
    await client.call('echo')
    expect(frames.filter(({ from }) => from === 'client').every(({ message }) => message.jsonrpc === '2.0')).toBe(true)
  })

  it('BASE-002 numbers its requests with integers', async () => {
    const { client, frames } = await connectScripted(echo, { revision })
    await client.call('echo')
    const ids = frames.flatMap(({ from, message }) => (from === 'client' && message.id !== undefined ? [message.id] : []))
    expect(ids.length).toBeGreaterThan(1)
    expect(ids.every(Number.isSafeInteger)).toBe(true)
  })

  const rounds = howMany(10, 100)

  it(`BASE-003 BASE-004 never uses an id twice, in ${rounds} times a hundred calls`, async () => {
    const { client, server: scriptedServer } = await connectScripted(echo, { revision })
    for (let round = 0; round < rounds; round++) await Promise.all(Array.from({ length: 100 }, () => client.call('echo')))
    const ids = scriptedServer.received('tools/call').map(({ id }) => id)
    expect(new Set(ids).size).toBe(100 * rounds)
  })

  it('BASE-007 keeps the code, the message and the data of an error unchanged', async () => {
    for (const data of [undefined, null, 'more', { deep: [1] }]) {
      const { client } = await connectScripted({ ...echo, 'tools/call': new Fails(4_711, 'out of mugs', data) }, { revision })
      const thrown = await client.call('echo').catch((error: unknown) => error)
      expect(thrown).toBeInstanceOf(RpcError)
      expect(thrown).toMatchObject({ code: 4_711, message: 'out of mugs', data })
    }
  })

  it('BASE-008 answers no notification, neither known, unknown nor malformed', async () => {
    const { client, server: scriptedServer, frames } = await connectScripted(echo, { revision })
    scriptedServer.notify('notifications/unheard-of', { a: 1 })
    scriptedServer.notify('notifications/progress')
    scriptedServer.notify('notifications/message', { level: 'loud' })
    scriptedServer.notify('notifications/cancelled', { requestId: {} })
    await expect(client.call('echo')).resolves.toMatchObject({ isError: false })
    expect(frames.filter(({ from, message }) => from === 'client' && !('method' in message))).toEqual([])
  })

  it('BASE-016 ignores unknown members', async () => {
    const { client } = await connectScripted(
      {
        'tools/list': toolsPage([plainTool('echo', { bar: { baz: 1 } })], { foo: [] }),
        'tools/call': textResult('hi', { foo: 1 }),
      },
      { revision },
    )
    expect((await client.listTools()).map(({ name }) => name)).toEqual(['echo'])
    await expect(client.call('echo')).resolves.toMatchObject({ content: [{ text: 'hi' }] })
  })

  it('ERRC-007 distinguishes its own failures from errors of the server', async () => {
    const { client } = await connectScripted(
      { ...echo, 'tools/call': silence, ping: silence, 'server/discover': echo['tools/list'] },
      { revision, options: { limits: { idleMs: 500 }, discover: false } },
    )
    const late = await client.call('echo').catch((error: unknown) => error)
    expect(late).toBeInstanceOf(CallFailure)
    expect(late).not.toBeInstanceOf(RpcError)
    expect(typeof (late as CallFailure).code).toBe('string')
  })

  it('CAP-006 takes an empty tools capability as support for tools', async () => {
    const { client } = await connectScripted(echo, { revision, capabilities: { tools: {} } })
    await expect(client.listTools()).resolves.toHaveLength(1)
    await expect(client.call('echo')).resolves.toMatchObject({ isError: false })
  })

  it('META-010 ignores unknown reserved keys of `_meta`, whatever their values', async () => {
    const odd = { 'io.modelcontextprotocol/serverInfo': 7, 'io.modelcontextprotocol/next': [null], 'mcp.dev/x': { y: 1 } }
    const { client } = await connectScripted(
      { 'tools/list': toolsPage([plainTool('echo')], { _meta: odd }), 'tools/call': textResult('hi', { _meta: odd }) },
      { revision },
    )
    await expect(client.call('echo')).resolves.toMatchObject({ _meta: odd })
  })

  it('META-006 behaves the same whatever name the server gives itself', async () => {
    const messagesToServer = async (serverInfo: JsonObject) => {
      const opening: JsonObject =
        revision === modern
          ? {
              'server/discover': {
                resultType: 'complete',
                supportedVersions: [modern],
                capabilities: { tools: {} },
                _meta: { 'io.modelcontextprotocol/serverInfo': serverInfo },
              },
            }
          : { initialize: { protocolVersion: revision, capabilities: { tools: {} }, serverInfo } }
      const { client, frames } = await connectScripted({ ...echo, ...(opening as typeof echo) }, { revision })
      await client.call('echo')
      return frames.flatMap(({ from, message }) => (from === 'client' ? [message] : []))
    }
    expect(await messagesToServer({ name: 'evil', version: '0' })).toEqual(
      await messagesToServer({ name: 'github-official', version: '9.9.9' }),
    )
  })
})

describe.each(until('2025-11-25'))('%s, with a handshake', (revision) => {
  it('BASE-026 PING-001 answers requests of the server, even while its own requests are pending', async () => {
    const { client } = await connectScripted(
      {
        ...echo,
        'tools/call': async (_, scriptedServer) => textResult(JSON.stringify((await scriptedServer.ask('s1', 'ping')).result)),
      },
      { revision },
    )
    expect((await client.call('echo')).content).toEqual([{ type: 'text', text: '{}' }])
  })

  it('BASE-023 answers a request whose id is beyond 2^53 with exactly that id', async () => {
    const { client, server: scriptedServer } = await connectScripted(echo, { revision, lenient: true })
    for (const id of ['9007199254740993', `"${'x'.repeat(2_000)}"`]) {
      scriptedServer.sayText(`{"jsonrpc":"2.0","id":${id},"method":"ping"}`)
      await expect.poll(() => scriptedServer.sent.at(-1)?.text).toBe(`{"jsonrpc":"2.0","id":${id},"result":{}}`)
    }
    expect(client.server.revision).toBe(revision)
  })

  it('LIFE-001 LIFE-003 sends initialize, then one initialized notification, and then other requests', async () => {
    const { client, frames } = await connectScripted(echo, { revision })
    await client.call('echo')
    const sent = frames.flatMap(({ from, message }) => (from === 'client' ? [message] : []))
    expect(sent.map(({ method }) => method)).toEqual(['initialize', 'notifications/initialized', 'tools/list', 'tools/call'])
    expect(sent[0]?.params).toMatchObject({
      protocolVersion: revision,
      capabilities: {},
      clientInfo: { name: 'toolwire', version: expect.any(String) },
    })
  })

  it('LIFE-004 sends no request before the handshake is complete', async () => {
    const { endpoint, frames } = scriptedEndpoint(
      {
        ...echo,
        initialize: () =>
          new Promise((resolve) =>
            setTimeout(resolve, 30, {
              protocolVersion: revision,
              capabilities: { tools: {} },
              serverInfo: { name: 's', version: '1' },
            }),
          ),
      },
      { revision },
    )
    await (await connect(endpoint, { revision })).close()
    expect(frames.slice(0, 2)).toMatchObject([{ message: { method: 'initialize' } }, { message: { result: {} } }])
  })

  it('LIFE-010 disconnects from a server with an unsupported version, and names both versions', async () => {
    const { endpoint } = scriptedEndpoint(
      { initialize: { protocolVersion: '2030-01-01', capabilities: {}, serverInfo: { name: 's', version: '1' } } },
      { revision },
    )
    const thrown = await connect(endpoint, { revision }).catch((error: unknown) => error)
    expect(thrown).toMatchObject({
      code: 'no_common_revision',
      message: expect.stringMatching(new RegExp(`2030-01-01.*${revision}`)),
    })
  })

  it('LIFE-011 LIFE-012 uses only the capabilities that the server has declared', async () => {
    const { client, server: scriptedServer } = await connectScripted(
      { ...echo, 'prompts/list': { prompts: [] } },
      { revision, capabilities: { tools: {} } },
    )
    expect(await client.listPrompts()).toEqual([])
    await expect(client.getPrompt('x')).rejects.toMatchObject({ code: 'not_offered' })
    await expect(client.readResource('x://y')).rejects.toMatchObject({ code: 'not_offered' })
    expect(
      scriptedServer
        .received('prompts/list')
        .concat(scriptedServer.received('prompts/get'), scriptedServer.received('resources/read')),
    ).toEqual([])
  })

  it('LIFE-015 describes itself with the members that the revision defines', async () => {
    const clientInfo = { name: 'me', version: '1', title: 'Me', description: 'a client', websiteUrl: 'https://me.example' }
    const { server: scriptedServer } = await connectScripted(echo, { revision, options: { clientInfo } })
    const shown = Object.keys((scriptedServer.received('initialize')[0]?.params as { clientInfo: JsonObject }).clientInfo)
    const later = revision >= '2025-11-25' ? ['title', 'description', 'websiteUrl'] : revision >= '2025-06-18' ? ['title'] : []
    expect(shown.sort()).toEqual(['name', 'version', ...later].sort())
  })
})

describe.each(since('2025-06-18').filter((one) => one !== modern))('%s', (revision) => {
  it('CAP-004 calls no tools of a server without the tools capability', async () => {
    const { client, server: scriptedServer } = await connectScripted(echo, { revision, capabilities: {} })
    await expect(client.call('echo')).rejects.toMatchObject({ name: 'CallFailure', code: 'not_offered' })
    expect(scriptedServer.received('tools/call').concat(scriptedServer.received('tools/list'))).toEqual([])
  })
})

it('BASE-006 refuses a response with both a result and an error, and the call fails', async () => {
  const { createServer } = await import('node:http')
  const http = createServer((request, response) => {
    request.resume().on('end', () => {
      response.setHeader('content-type', 'application/json')
      response.end('{"jsonrpc":"2.0","id":1,"result":{},"error":{"code":1,"message":"both"}}')
    })
  })
  await new Promise<void>((resolve) => http.listen(0, '127.0.0.1', resolve))
  const { port } = http.address() as { port: number }
  await using client = await connect(`http://127.0.0.1:${port}/mcp`, { revision: modern, discover: false, listFirst: false })
  await expect(client.call('echo')).rejects.toMatchObject({ code: 'bad_response' })
  http.close()
})

it('BASE-019 BASE-017 splits a batch from a server of 2025-03-26, and sends none itself, least of all with initialize', async () => {
  const { PassThrough } = await import('node:stream')
  const { linesEndpoint: linesWay } = await import('../transports/lines-endpoint.js')
  const toServer = new PassThrough()
  const toClient = new PassThrough()
  const lines: string[] = []
  toServer.on('data', (chunk: Buffer) => {
    for (const line of chunk.toString().trim().split('\n')) {
      lines.push(line)
      const { id, method } = JSON.parse(line)
      if (method === 'initialize')
        toClient.write(
          `${JSON.stringify({ jsonrpc: '2.0', id, result: { protocolVersion: '2025-03-26', capabilities: { tools: {} }, serverInfo: { name: 's', version: '1' } } })}\n`,
        )
      if (method === 'tools/list')
        toClient.write(
          `${JSON.stringify([
            { jsonrpc: '2.0', method: 'notifications/message', params: { level: 'info', data: 'x' } },
            { jsonrpc: '2.0', id, result: { tools: [plainTool('echo')] } },
          ])}\n`,
        )
    }
  })
  const logs: unknown[] = []
  const endpoint = linesWay(() => ({ readable: toClient, writable: toServer }), { name: 'pipes' })
  await using client = await connect(endpoint, { revision: '2025-03-26', onLog: ({ data }) => logs.push(data) })
  expect(await client.listTools()).toHaveLength(1)
  expect(logs).toEqual(['x'])
  expect(lines.every((line) => !line.startsWith('['))).toBe(true)
})

it('BASE-015 skips a message of invalid UTF-8, and reads the next one', async () => {
  const { PassThrough } = await import('node:stream')
  const { linesEndpoint: linesWay } = await import('../transports/lines-endpoint.js')
  const [toServer, toClient] = [new PassThrough(), new PassThrough()]
  const warnings: string[] = []
  toServer.on('data', (chunk: Buffer) => {
    const { id } = JSON.parse(chunk.toString())
    toClient.write(Buffer.from([...Buffer.from(`{"jsonrpc":"2.0","id":${id},"result":{"a":"`), 0xff, ...Buffer.from('"}}\n')]))
    toClient.write(
      `${JSON.stringify({ jsonrpc: '2.0', id, result: { resultType: 'complete', tools: [], ttlMs: 0, cacheScope: 'private' } })}\n`,
    )
  })
  const endpoint = linesWay(() => ({ readable: toClient, writable: toServer }), { name: 'pipes' })
  await using client = await connect(endpoint, { revision: modern, discover: false, onWarning: (text) => warnings.push(text) })
  expect(await client.listTools()).toEqual([])
  expect(warnings.join()).toMatch(/UTF-8/)
})

describe(modern, () => {
  it('BASE-028 answers no request of the server, and keeps running', async () => {
    const { client, server: scriptedServer, frames, warnings } = await connectScripted(echo, { revision: modern })
    scriptedServer.say({ id: 's1', method: 'ping' })
    scriptedServer.say({
      id: 's2',
      method: 'elicitation/create',
      params: { message: 'x', requestedSchema: { type: 'object', properties: {} } },
    })
    await client.call('echo')
    expect(frames.some(({ from, message }) => from === 'client' && message.method === undefined)).toBe(false)
    expect(warnings).toHaveLength(2)
  })

  it('BASE-030 takes a result without a resultType as complete', async () => {
    const { content } = textResult('old')
    const { client } = await connectScripted({ ...echo, 'tools/call': { content } as JsonObject }, { revision: modern })
    await expect(client.call('echo')).resolves.toMatchObject({ content: [{ text: 'old' }] })
  })

  it('BASE-031 refuses a result of an unknown type, or of a type that it has not declared', async () => {
    for (const resultType of ['later', 'com.example/ticket']) {
      const { client } = await connectScripted(
        { ...echo, 'tools/call': textResult('secret', { resultType }), 'prompts/get': { resultType, messages: [] } },
        { revision: modern, capabilities: { tools: {}, prompts: {} } },
      )
      const thrown = await client.call('echo').catch((error: unknown) => error)
      expect(thrown).toMatchObject({ name: 'CallFailure', code: 'bad_response' })
      expect(String(thrown)).not.toContain('secret')
      await expect(client.getPrompt('x')).rejects.toMatchObject({ code: 'bad_response' })
    }
  })

  it('BASE-024 covers all three patterns: request and response, rounds, subscriptions', async () => {
    const { client, server: scriptedServer } = await connectScripted(
      {
        ...echo,
        'tools/call': ({ params }) =>
          params.inputResponses
            ? textResult(JSON.stringify(params.inputResponses))
            : {
                resultType: 'input_required',
                inputRequests: {
                  name: {
                    method: 'elicitation/create',
                    params: { message: 'Who?', requestedSchema: { type: 'object', properties: {} } },
                  },
                },
              },
        'subscriptions/listen': ({ id, params }, on) => {
          on.notify('notifications/subscriptions/acknowledged', {
            notifications: params.notifications,
            _meta: { 'io.modelcontextprotocol/subscriptionId': id as number },
          })
          return silence
        },
      },
      { revision: modern, options: { answers: { form: () => ({ action: 'decline' }) } } },
    )
    expect((await client.call('echo')).content).toEqual([{ type: 'text', text: '{"name":{"action":"decline"}}' }])
    const changed = new Promise((resolve) => client.onChange(resolve))
    await expect.poll(() => scriptedServer.received('subscriptions/listen')).toHaveLength(1)
    scriptedServer.notify('notifications/tools/list_changed', {
      _meta: { 'io.modelcontextprotocol/subscriptionId': scriptedServer.received('subscriptions/listen')[0]?.id as number },
    })
    await expect(changed).resolves.toEqual({ kind: 'tools' })
  })

  it('ERRC-002 gives no meaning to the reserved codes of older revisions', async () => {
    for (const code of [-32_000, -32_001, -32_003, -32_019]) {
      const { client } = await connectScripted(
        { ...echo, 'resources/read': new Fails(code, 'hm') },
        { revision: modern, capabilities: { tools: {}, resources: {} } },
      )
      const thrown = await client.readResource('x://y').catch((error: unknown) => error)
      expect(thrown).toMatchObject({ name: 'RpcError', code })
    }
  })

  it('ERRC-004 also recognizes the old code for a missing resource', async () => {
    const { client } = await connectScripted(
      { 'resources/read': new Fails(-32_002, 'gone') },
      { revision: modern, capabilities: { resources: {} } },
    )
    await expect(client.readResource('x://y')).rejects.toMatchObject({ name: 'ResourceMissing', uri: 'x://y' })
  })

  it('META-001 META-002 describes itself in every request', async () => {
    const { client, server: scriptedServer } = await connectScripted(
      { ...echo, 'subscriptions/listen': silence },
      { revision: modern },
    )
    await client.call('echo')
    client.onChange(() => undefined)
    await client.ping()
    await expect.poll(() => scriptedServer.received('subscriptions/listen')).toHaveLength(1)
    for (const { text } of scriptedServer.sent) {
      expect(JSON.parse(text).params._meta).toMatchObject({
        'io.modelcontextprotocol/protocolVersion': modern,
        'io.modelcontextprotocol/clientCapabilities': expect.any(Object),
        'io.modelcontextprotocol/clientInfo': { name: 'toolwire', version: expect.any(String) },
      })
    }
    expect(new Set(scriptedServer.sent.map(({ method }) => method))).toEqual(
      new Set(['server/discover', 'tools/list', 'tools/call', 'subscriptions/listen']),
    )
  })

  it('META-002 omits its description if configured, and is still served', async () => {
    const { client, server: scriptedServer } = await connectScripted(echo, { revision: modern, options: { clientInfo: false } })
    await expect(client.call('echo')).resolves.toMatchObject({ isError: false })
    expect(scriptedServer.sent.some(({ text }) => text.includes('clientInfo'))).toBe(false)
  })

  it('CAP-005 calls no tools if the discovered server lacks them, and tries if the server was not probed', async () => {
    const undeclared = await connectScripted(echo, { revision: modern, capabilities: {} })
    await expect(undeclared.client.call('echo')).rejects.toMatchObject({ code: 'not_offered' })
    expect(undeclared.server.received('tools/call')).toEqual([])
    const untold = await connectScripted(
      { 'tools/list': new Fails(-32_601, 'no tools') },
      { revision: modern, capabilities: {}, options: { discover: false } },
    )
    await expect(untold.client.call('echo')).rejects.toMatchObject({ code: -32_601 })
  })

  it('META-011 sends valid trace context, and refuses invalid', async () => {
    const { client, server: scriptedServer } = await connectScripted(echo, { revision: modern })
    const traceparent = '00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01'
    await client.call('echo', {}, { meta: { traceparent } })
    expect(scriptedServer.received('tools/call')[0]?.params).toMatchObject({ _meta: { traceparent } })
    await expect(client.call('echo', {}, { meta: { traceparent: '00-1-2-3' } })).rejects.toThrow(/Trace Context/)
  })

  it('VER-014 refuses to declare an extension without a prefix', async () => {
    const { endpoint } = scriptedEndpoint(echo, { revision: modern })
    await expect(connect(endpoint, { extensions: { tasks: {} } })).rejects.toThrow(/prefix/)
    const { server: scriptedServer } = await connectScripted(echo, {
      revision: modern,
      options: { extensions: { 'com.example/x': {} } },
    })
    expect(JSON.stringify(scriptedServer.sent[0]?.text)).toContain('com.example/x')
  })
})

describe.each(since('2025-06-18'))('%s', (revision) => {
  it('META-007 META-008 META-009 refuses reserved keys of `_meta` from callers', async () => {
    const { client, server: scriptedServer } = await connectScripted(echo, { revision })
    await client.listTools()
    for (const key of ['1a/c', 'a-/c', 'a/_c', 'com.mcp.tools/x', 'mcp.dev/x', 'api.modelcontextprotocol.org/x'])
      await expect(client.call('echo', {}, { meta: { [key]: 1 } }), key).rejects.toThrow(/_meta/)
    expect(scriptedServer.received('tools/call')).toEqual([])
    await client.call('echo', {}, { meta: { 'a.b/c': 1, 'com.example.mcp/x': 2 } })
    expect(scriptedServer.received('tools/call')[0]?.params).toMatchObject({ _meta: { 'a.b/c': 1, 'com.example.mcp/x': 2 } })
  })

  it('META-013 keeps the `_meta` of tools, blocks and results unchanged', async () => {
    const _meta = { 'com.example/x': { deep: [1, null] } }
    const { client } = await connectScripted(
      {
        'tools/list': toolsPage([plainTool('echo', { _meta })]),
        'tools/call': textResult('', { content: [{ type: 'text', text: 'x', _meta }], _meta }),
      },
      { revision },
    )
    expect((await client.listTools())[0]?._meta).toEqual(_meta)
    expect(await client.call('echo')).toMatchObject({ content: [{ _meta }], _meta })
  })
})

it('STATE-005 uses one process for all requests', async () => {
  const { client, server: scriptedServer } = await connectScripted(echo, { revision: modern })
  for (let conversation = 0; conversation < 5; conversation++) await client.call('echo')
  expect(scriptedServer.dials).toBe(1)
})

it('our client and our server use the latest revision by default', async () => {
  await using client = await connect(
    server({ name: 's', version: '1', tools: { a: tool({ description: 'a', run: () => 'x' }) } }),
  )
  expect(client.server.revision).toBe(modern)
})

it('a response that was lost in transit does not stay pending', async () => {
  const { client } = await connectScripted(
    { ...echo, 'tools/call': new TransportError('broken', 'cut', { sent: true }) },
    { revision: modern },
  )
  await expect(client.call('echo')).rejects.toMatchObject({ code: 'outcome_unknown' })
})
