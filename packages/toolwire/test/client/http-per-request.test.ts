// Streamable HTTP of the latest revision: the headers of requests, and responses that break off.
import { expect, it } from 'vitest'
import { event, events, until } from '../transports/http-client-fixture.js'
import { clientOf, posting, type Word } from './posting-server.js'
import { plainTool, silence, textResult, toolsPage } from './scripted.js'

const revision = '2026-07-28'
const capabilities = { tools: {}, prompts: {}, resources: { subscribe: true }, completions: {} }
const emptyList = (member: string) => ({ resultType: 'complete', [member]: [], ttlMs: 0, cacheScope: 'private' })
const acknowledged = { jsonrpc: '2.0', method: 'notifications/subscriptions/acknowledged' }
const meta = 'io.modelcontextprotocol'

const everything: Record<string, Word> = {
  'tools/list': toolsPage([plainTool('echo'), plainTool('Echo'), plainTool('天気')]),
  'tools/call': textResult('hi'),
  'resources/list': emptyList('resources'),
  'resources/templates/list': emptyList('resourceTemplates'),
  'prompts/list': emptyList('prompts'),
  'prompts/get': { resultType: 'complete', messages: [] },
  'resources/read': { resultType: 'complete', contents: [], ttlMs: 0, cacheScope: 'private' },
  'completion/complete': { resultType: 'complete', completion: { values: [] } },
  'subscriptions/listen': ({ message }, response) => {
    const params = { notifications: message.params.notifications, _meta: { [`${meta}/subscriptionId`]: message.id } }
    events(response, event({ ...acknowledged, params }))
    return silence
  },
}

it('HTTP-004 HTTP-005 HTTP-016 HTTP-021 HTTP-022 XHDR-014 SHTTP-002 copies the required values of each request to its headers', async () => {
  const server = await posting(everything, { revision, capabilities })
  const { client } = await clientOf(server, revision)
  for (const name of ['echo', 'Echo', '天気']) await client.call(name)
  await client.listResources()
  await client.listResourceTemplates()
  await client.listPrompts()
  await client.getPrompt('ask me')
  for (const uri of ['file:///a b', 'file:///plain', ' file:///space']) await client.readResource(uri)
  await client.complete({ type: 'ref/prompt', name: 'p' }, { name: 'a', value: 'b' })
  const unwatch = await client.watch('file:///plain')
  await client.ping()
  await unwatch()
  await client.close()
  const posts = server.posted()
  expect(new Set(posts.map(({ message }) => message.method))).toEqual(new Set(['server/discover', ...Object.keys(everything)]))
  expect(new Set(server.seen.map(({ method }) => method))).toEqual(new Set(['POST']))
  for (const { message, headers } of posts) {
    expect(headers.accept).toBe('application/json, text/event-stream')
    expect(headers['content-type']).toBe('application/json')
    const { _meta } = message.params as { _meta: Record<string, unknown> }
    expect(headers['mcp-protocol-version']).toBe(_meta[`${meta}/protocolVersion`])
    expect(headers['mcp-protocol-version']).toBe(revision)
    expect(headers['mcp-method']).toBe(message.method)
    expect(message).toMatchObject({ jsonrpc: '2.0', id: expect.any(Number), method: expect.any(String) })
  }
  const namesOf = (method: string) => server.posted(method).map(({ headers }) => headers['mcp-name'])
  const encoded = (text: string) => `=?base64?${Buffer.from(text).toString('base64')}?=`
  expect(namesOf('tools/call')).toEqual(['echo', 'Echo', encoded('天気')])
  expect(namesOf('prompts/get')).toEqual(['ask me'])
  expect(namesOf('resources/read')).toEqual(['file:///a b', 'file:///plain', encoded(' file:///space')])
  expect(namesOf('tools/list')).toEqual([undefined])
})

it('HTTP-025 reads header names in any case, and sends values unchanged', async () => {
  const odd: Word = ({ message }, response) => {
    const body = JSON.stringify({ jsonrpc: '2.0', id: message.id, result: textResult('hi') })
    response.writeHead(200, { 'CONTENT-type': 'application/json' }).end(body)
    return silence
  }
  const server = await posting({ ...everything, 'tools/call': odd }, { revision, capabilities })
  const { client } = await clientOf(server, revision)
  await client.call('Echo')
  const [{ headers }] = server.posted('tools/call') as [ReturnType<typeof server.posted>[number]]
  expect([headers['mcp-method'], headers['mcp-name']]).toEqual(['tools/call', 'Echo'])
  await client.close()
})

/** The first response breaks off after an event with an id, which a client must not use for resumption. */
const brokenOnce = (): Word => {
  let calls = 0
  return (_, response) => {
    if (++calls > 1) return textResult('second')
    events(response, 'id: e1\nretry: 1\ndata: \n\n').end()
    return silence
  }
}

it('HTTP-015 retries a safe request once with a new id, and never resumes the stream', async () => {
  const annotations = { readOnlyHint: true }
  const words: Record<string, Word> = {
    'tools/list': toolsPage([plainTool('look', { annotations })]),
    'tools/call': brokenOnce(),
  }
  const server = await posting(words, { revision })
  const { client } = await clientOf(server, revision, { trusted: true })
  expect(await client.call('look')).toMatchObject({ content: [{ text: 'second' }] })
  const ids = server.posted('tools/call').map(({ message }) => message.id)
  expect(ids).toHaveLength(2)
  expect(ids[0]).not.toBe(ids[1])
  expect(server.seen.some(({ method, headers }) => method === 'GET' || 'last-event-id' in headers)).toBe(false)
  await client.close()
})

it('HTTP-015 does not retry a request that may change something', async () => {
  const annotations = { destructiveHint: true, readOnlyHint: false }
  const words: Record<string, Word> = {
    'tools/list': toolsPage([plainTool('wipe', { annotations })]),
    'tools/call': brokenOnce(),
  }
  const server = await posting(words, { revision })
  const { client } = await clientOf(server, revision, { trusted: true })
  await expect(client.call('wipe')).rejects.toMatchObject({ code: 'outcome_unknown' })
  expect(server.posted('tools/call')).toHaveLength(1)
  expect(server.seen.some(({ method, headers }) => method === 'GET' || 'last-event-id' in headers)).toBe(false)
  await client.close()
})

it('a call is cancelled by closing its connection', async () => {
  const server = await posting({ ...everything, 'tools/call': silence }, { revision, capabilities })
  const { client } = await clientOf(server, revision)
  const giveUp = new AbortController()
  const call = client.call('echo', {}, { signal: giveUp.signal })
  await until(() => server.posted('tools/call').length === 1)
  giveUp.abort()
  await expect(call).rejects.toMatchObject({ code: 'cancelled' })
  await until(() => server.seen.at(-1)?.closed === true)
  expect(server.posted('notifications/cancelled')).toEqual([])
  await client.close()
})
