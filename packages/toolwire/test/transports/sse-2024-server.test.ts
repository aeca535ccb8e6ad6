// HTTP+SSE of 2024-11-05 in the server; conversation-suite.ts tests its conversations.
import { request } from 'node:http'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { type Listening, listen } from '../../src/node.js'
import { call, fixture, initialize } from './fixture.js'
import { Client, twoEndpointPeer } from './peers.js'

describe('the two endpoints', () => {
  const { app } = fixture()
  let listening: Listening
  let origin: string
  beforeAll(async () => {
    listening = await listen(app, {
      signals: false,
      legacySse: true,
      authenticate: ({ header }) => ({ id: header('authorization') ?? 'none', scopes: [header('x-scope') ?? 'none'] }),
    })
    origin = new URL(listening.url).origin
  })
  afterAll(() => listening.close())

  it('SSE1-002 begin with an unguessable URL for messages', async () => {
    const addresses = await Promise.all(
      [1, 2].map(async () => {
        const response = await fetch(`${origin}/sse`, { headers: { accept: 'text/event-stream' } })
        const reader = (response.body as ReadableStream<Uint8Array>).getReader()
        const { value } = await reader.read()
        await reader.cancel()
        return new TextDecoder().decode(value)
      }),
    )
    for (const text of addresses) expect(text).toMatch(/^event: endpoint\ndata: \/messages\?session=[0-9a-f-]{36}\n\n$/)
    expect(addresses[0]).not.toBe(addresses[1])
  })

  const accepting = (accept: string | undefined) =>
    new Promise<{ status: number | undefined; first: string }>((resolve, reject) => {
      // fetch would add its own Accept header.
      const sent = request(`${origin}/sse`, { headers: accept === undefined ? {} : { accept } }, (response) => {
        response.once('data', (chunk: Buffer) => {
          resolve({ status: response.statusCode, first: chunk.toString() })
          sent.destroy()
        })
      })
      sent.on('error', reject).end()
    })

  it.each([
    undefined,
    '*/*',
    'text/*',
    'TEXT/Event-Stream',
    'application/json, text/event-stream',
    'application/json;q=0.9, text/event-stream;q=0.1',
    'text/html;q=0, */*;q=0.5',
  ])('SSE1-001 open the stream for Accept: %s', async (accept) => {
    expect(await accepting(accept)).toMatchObject({ status: 200, first: expect.stringMatching(/^event: endpoint/) })
  })

  it.each([
    'application/json',
    'image/*',
    'text/event-stream;q=0, */*',
    'text/*;q=0.0, */*',
    '*/*;q=0',
  ])('open no stream for Accept: %s, and name the accepted type', async (accept) => {
    expect(await accepting(accept)).toMatchObject({ status: 406, first: expect.stringContaining('text/event-stream') })
  })

  it.each([
    'text/event-stream',
    'text/html',
    '*/*;q=0',
  ])('accept messages with Accept: %s, because the responses go to the stream', async (accept) => {
    const stream = await fetch(`${origin}/sse`)
    const reader = (stream.body as ReadableStream<Uint8Array>).getReader()
    const address = /data: (\S+)/.exec(new TextDecoder().decode((await reader.read()).value))?.[1]
    const headers = { accept, 'content-type': 'application/json' }
    const { status } = await fetch(`${origin}${address}`, {
      method: 'POST',
      headers,
      body: '{"jsonrpc":"2.0","id":1,"method":"ping"}',
    })
    expect(status).toBe(202)
    expect(new TextDecoder().decode((await reader.read()).value)).toContain('"id":1')
    await reader.cancel()
  })

  it('SSE1-005 keep two clients separate', async () => {
    const clients = await Promise.all([1, 2].map(async () => Client.open(await twoEndpointPeer(origin), '2024-11-05')))
    const answers = await Promise.all(clients.map((client, at) => client.request(call('same', 'echo', { text: `for ${at}` }))))
    expect(answers.map((messages) => messages.map(({ result }) => (result?.content as { text: string }[])[0]?.text))).toEqual([
      ['for 0'],
      ['for 1'],
    ])
    for (const client of clients) await client.peer.close()
  })

  it('SSE1-006 check the origin', async () => {
    const headers = { origin: 'https://evil.example', accept: 'text/event-stream', 'content-type': 'application/json' }
    expect((await fetch(`${origin}/sse`, { headers })).status).toBe(403)
    expect((await fetch(`${origin}/messages?session=x`, { method: 'POST', headers, body: '{}' })).status).toBe(403)
  })

  it('are bound to the caller', async () => {
    const response = await fetch(`${origin}/sse`, { headers: { accept: 'text/event-stream', authorization: 'ann' } })
    const reader = (response.body as ReadableStream<Uint8Array>).getReader()
    const address = /data: (\S+)/.exec(new TextDecoder().decode((await reader.read()).value))?.[1]
    const post = async (authorization: string, to = address) =>
      (
        await fetch(`${origin}${to}`, {
          method: 'POST',
          headers: { 'content-type': 'application/json', authorization },
          body: '{"jsonrpc":"2.0","id":1,"method":"ping"}',
        })
      ).status
    expect([await post('bob'), await post('ann'), await post('ann', '/messages?session=none')]).toEqual([404, 202, 404])
    await reader.cancel()
  })

  it('use the current scopes for each message', async () => {
    const response = await fetch(`${origin}/sse`, { headers: { accept: 'text/event-stream', 'x-scope': 'admin' } })
    const events = (response.body as ReadableStream<Uint8Array>).getReader()
    let text = ''
    const untilMatch = async (pattern: RegExp) => {
      while (!pattern.test(text)) text += new TextDecoder().decode((await events.read()).value)
      return pattern.exec(text)?.[1] ?? ''
    }
    const address = `${origin}${await untilMatch(/data: (\S+)\n\n/)}`
    const post = (scope: string, message: object) =>
      fetch(address, {
        method: 'POST',
        headers: { 'content-type': 'application/json', 'x-scope': scope },
        body: JSON.stringify(message),
      })
    await post('read', initialize('2024-11-05'))
    await untilMatch(/("id":"init")/)
    for (const scope of ['read', 'write']) {
      await post(scope, call(scope, 'who'))
      expect(await untilMatch(new RegExp(`"id":"${scope}".*"text":"none (\\w+)"`))).toBe(scope)
    }
    await events.cancel()
  })

  it('SSE1-007 are disabled by default', async () => {
    const without = await listen(fixture().app, { signals: false })
    for (const path of ['/sse', '/messages']) expect((await fetch(`${new URL(without.url).origin}${path}`)).status).toBe(404)
    await without.close()
  })
})
