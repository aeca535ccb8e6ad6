// Whole conversations over Streamable HTTP in the revisions that have sessions.
import { describe, expect, it } from 'vitest'
import type { Client } from '../../src/client/index.js'
import { expectAfter } from '../soak.js'
import { event, events, until } from '../transports/http-client-fixture.js'
import { clientOf, posting, type Word } from './posting-server.js'
import { Fails, plainTool, silence, textResult, toolsPage } from './scripted.js'

const revisions = ['2025-03-26', '2025-06-18', '2025-11-25'] as const
const hearsVersions = (revision: string) => revision !== '2025-03-26'
const tools = { 'tools/list': toolsPage([plainTool('echo')]), 'tools/call': textResult('hi') }
const textOf = async (client: Client) => (await client.call('echo')).content[0]

/** Breaks off after these events. */
const cut =
  (text: string): Word =>
  (_, response) => {
    events(response, text).end()
    return silence
  }

describe.each(revisions)('%s', (revision) => {
  it('SHTTP-002 SHTTP-003 SHTTP-008 SHTTP-031 SHTTP-039 posts one message at a time, with the session and version headers', async () => {
    const asks: Word = ({ message }, response) => {
      const question = { jsonrpc: '2.0', id: 'q', method: 'ping' }
      events(response, event(question) + event({ jsonrpc: '2.0', id: message.id, result: textResult('hi') })).end()
      return silence
    }
    const server = await posting({ ...tools, 'tools/call': asks }, { revision })
    const { client } = await clientOf(server, revision)
    await textOf(client)
    await until(() => server.posted().some(({ message }) => message.id === 'q'))
    await client.close()
    const [first, ...later] = server.seen
    expect(JSON.parse(first?.body ?? '')).toMatchObject({ method: 'initialize' })
    expect(first?.headers).not.toHaveProperty('mcp-session-id')
    for (const { method, headers, body } of server.seen.filter(({ method }) => method === 'POST')) {
      expect([method, headers['content-type'], headers.accept]).toEqual([
        'POST',
        'application/json',
        'application/json, text/event-stream',
      ])
      expect(JSON.parse(body)).toMatchObject({ jsonrpc: '2.0' })
    }
    expect(new Set(later.map(({ method }) => method))).toEqual(new Set(['POST', 'GET', 'DELETE']))
    for (const { headers } of later) {
      expect(headers['mcp-session-id']).toBe('session-1')
      expect(headers['mcp-protocol-version']).toBe(hearsVersions(revision) ? revision : undefined)
    }
  })

  it('SHTTP-017 cancels with a notification in a separate POST', async () => {
    const server = await posting({ ...tools, 'tools/call': silence }, { revision })
    const { client, warnings } = await clientOf(server, revision)
    const giveUp = new AbortController()
    const call = client.call('echo', {}, { signal: giveUp.signal })
    await until(() => server.posted('tools/call').length === 1)
    giveUp.abort()
    await expect(call).rejects.toMatchObject({ code: 'cancelled' })
    await until(() => server.posted('notifications/cancelled').length === 1)
    const { message, headers } = server.posted('notifications/cancelled')[0]!
    expect(message.params.requestId).toBe(server.posted('tools/call')[0]!.message.id)
    expect(headers['mcp-session-id']).toBe('session-1')
    await client.close()
    expect(warnings).toEqual([])
  })

  it.each(['json', 'stream'] as const)('SHTTP-007 reads responses as %s', async (form) => {
    const server = await posting(tools, { revision, form })
    const { client } = await clientOf(server, revision)
    expect((await client.listTools()).map(({ name }) => name)).toEqual(['echo'])
    expect(await textOf(client)).toMatchObject({ text: 'hi' })
    await client.close()
  })

  it('SHTTP-019 receives server messages on a separate stream', async () => {
    const change = { jsonrpc: '2.0', method: 'notifications/tools/list_changed' }
    let later = (): unknown => undefined
    const server = await posting(tools, {
      revision,
      capabilities: { tools: { listChanged: true } },
      onGet: ({ headers }, response) => {
        expect(headers.accept).toBe('text/event-stream')
        // One event while the connection is still opening, which must be harmless, and one after a listener exists.
        events(response, event(change))
        later = () => response.write(event(change))
      },
    })
    const { client } = await clientOf(server, revision)
    const notified = new Promise((resolve) => client.onChange(resolve))
    later()
    expect(await notified).toEqual({ kind: 'tools' })
    const order = server.seen.map(({ method, body }) => (method === 'GET' ? 'GET' : JSON.parse(body).method))
    expect(order).toEqual(['initialize', 'notifications/initialized', 'GET'])
    await client.close()
  })

  it('SHTTP-025 resumes a stream that broke off, and sends the call once', async () => {
    const { result } = { result: textResult('late') }
    const server = await posting(
      { ...tools, 'tools/call': cut('id: e1\nretry: 50\ndata: \n\n') },
      {
        revision,
        onGet: ({ headers }, response) => {
          const id = server.posted('tools/call')[0]?.message.id
          if (headers['last-event-id'] !== 'e1') response.writeHead(405).end()
          else events(response, event({ jsonrpc: '2.0', id, result }, { id: 'e2' }))
        },
      },
    )
    const { client } = await clientOf(server, revision)
    expect(await textOf(client)).toMatchObject({ text: 'late' })
    expect(server.posted('tools/call')).toHaveLength(1)
    await client.close()
  })

  it('SHTTP-034 opens a new session once if the old one is gone, and repeats the request', async () => {
    let forgotten = false
    const call: Word = ({ headers }, response) => {
      if (!forgotten || headers['mcp-session-id'] === 'session-2') return textResult('hi')
      response.writeHead(404).end()
      return silence
    }
    const server = await posting({ ...tools, 'tools/call': call }, { revision })
    const { client } = await clientOf(server, revision)
    await textOf(client)
    forgotten = true
    expect(await textOf(client)).toMatchObject({ text: 'hi' })
    const hands = server.posted('initialize')
    expect(hands).toHaveLength(2)
    expect(hands[1]!.headers).not.toHaveProperty('mcp-session-id')
    expect(server.posted('tools/call').map(({ headers }) => headers['mcp-session-id'])).toEqual([
      'session-1',
      'session-1',
      'session-2',
    ])
    await client.close()
  })

  it('SHTTP-034 does not open new sessions endlessly', async () => {
    const gone: Word = (_, response) => {
      response.writeHead(404).end()
      return silence
    }
    const server = await posting({ ...tools, 'tools/call': gone }, { revision })
    const { client } = await clientOf(server, revision)
    await expect(client.call('echo')).rejects.toMatchObject({ code: 'disconnected' })
    expect(server.posted('initialize')).toHaveLength(2)
    await client.close()
  })

  it.each([204, 405])('SHTTP-035 deletes its session on close, whatever the response: %i', async (status) => {
    const server = await posting(tools, { revision })
    const { client, warnings } = await clientOf(server, revision, {
      fetch: (request) => (request.method === 'DELETE' ? sendAnd(status, request) : fetch(request)),
    })
    await client.close()
    expect(server.seen.at(-1)).toMatchObject({ method: 'DELETE', headers: { 'mcp-session-id': 'session-1' } })
    expect(warnings).toEqual([])
  })

  it.each([413, 431])('SHTTP-002 names the request that caused a %i', async (status) => {
    const tooMuch: Word = (_, response) => {
      response.writeHead(status).end()
      return silence
    }
    const server = await posting({ ...tools, 'tools/call': tooMuch }, { revision })
    const { client } = await clientOf(server, revision)
    await expect(client.call('echo')).rejects.toMatchObject({
      code: 'turned_away',
      status,
      message: expect.stringMatching(/too large/),
    })
    expect(server.posted('tools/call')).toHaveLength(1)
    await client.close()
  })
})

async function sendAnd(status: number, request: Request): Promise<Response> {
  await (await fetch(request)).arrayBuffer()
  return new Response(null, { status })
}

describe('2025-11-25', () => {
  const revision = '2025-11-25'

  // Longer than the default delay of a reconnection, which is less than a second.
  const longMs = 1_100

  /** The time until the client reconnects after a stream began with these events and broke off. */
  async function waited(text: string): Promise<number> {
    const backAt: number[] = []
    const server = await posting(
      { ...tools, 'tools/call': cut(text) },
      {
        revision,
        onGet: ({ headers, at }, response) => {
          if (headers['last-event-id'] !== 'e1') return response.writeHead(405).end()
          backAt.push(at)
          events(response, event({ jsonrpc: '2.0', id: server.posted('tools/call')[0]?.message.id, result: textResult('late') }))
        },
      },
    )
    const { client, warnings } = await clientOf(server, revision)
    expect(await textOf(client)).toMatchObject({ text: 'late' })
    await client.close()
    expect(warnings).toEqual([])
    return backAt[0]! - server.posted('tools/call')[0]!.at
  }

  it('SHTTP-012 SHTTP-015 waits for the requested retry time, whatever else the event contains', async () => {
    const withoutData = `id: e1\nretry: ${longMs}\n\n`
    const byItself = `id: e1\ndata:\n\nretry: ${longMs}\n\n`
    const withEmptyData = `id: e1\nretry: ${longMs}\ndata: \n\n`
    const times = await Promise.all([withoutData, byItself, withEmptyData].map(waited))
    for (const ms of times) expectAfter(ms, longMs)
  })

  it('SHTTP-036 sends its session only in headers, and only to its own origin', async () => {
    const elsewhere = await posting(tools, { revision })
    const sendsOn: Word = (_, response) => {
      response.writeHead(307, { location: elsewhere.url }).end()
      return silence
    }
    const server = await posting({ ...tools, 'tools/call': sendsOn, ping: new Fails(-32_603) }, { revision })
    const { client, warnings } = await clientOf(server, revision)
    const thrown: unknown[] = []
    for (const attempt of [() => client.call('echo'), () => client.ping()])
      await attempt().catch((reason: unknown) => thrown.push(reason))
    await client.close()
    expect(thrown).toHaveLength(2)
    expect(elsewhere.seen).toEqual([])
    const words = thrown.flatMap((one) => (one instanceof Error ? [one.message, one.stack, String(one.cause)] : []))
    expect([...words, ...warnings].join('\n')).not.toContain('session-1')
  })
})
