// Two servers in one pool over HTTP. No data of one server reaches the other.
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { ask, type Reply, reply, resource, server, tool } from 'toolwire'
import { nodeHandler } from 'toolwire/node'
import { describe, expect, it } from 'vitest'
import { z } from 'zod'
import { memoryRevisions } from '../../src/client/connection/revision-store.js'
import { type Pool, pool } from '../../src/client/index.js'
import { toolkit } from '../../src/llm/index.js'
import { every } from '../revisions.js'

type Name = 'alma' | 'bela'
const other = { alma: 'bela', bela: 'alma' } as const

/** A server that puts its name into every message. */
const appOf = (name: Name) =>
  server({
    name: `server-of-${name}`,
    version: '1.0.0',
    instructions: `instructions-of-${name}`,
    secret: `a secret of ${name} that is long enough to seal states`,
    tools: {
      look: tool({
        description: `description-of-${name}`,
        hints: { readOnly: true },
        input: z.object({ query: z.string() }),
        run: ({ query }) => `answer-of-${name} to ${query}`,
      }),
      order: tool({
        description: 'Asks',
        asks: { confirm: ask(`question-of-${name}`, z.object({ word: z.string() })) },
        run: (_, ctx): Reply => reply.text(`${name} heard ${ctx.answers.confirm.word}`),
      }),
      [`own-${name}`]: tool({ description: 'Its own', run: () => name }),
    },
    resources: { note: resource({ uri: 'note:1', read: () => `resource-of-${name}` }) },
  })

/** Serves the app, and logs every request. */
async function serve(name: Name) {
  const pieces: string[] = []
  const sessions = new Set<string>()
  const handle = nodeHandler(appOf(name))
  const web = createServer((request, response) => {
    pieces.push(request.rawHeaders.join('\n'))
    request.on('data', (chunk) => pieces.push(String(chunk)))
    const session = request.headers['mcp-session-id']
    if (session !== undefined) sessions.add(String(session))
    handle(request, response)
  })
  await new Promise<void>((resolve) => web.listen(0, '127.0.0.1', resolve))
  const { port } = web.address() as AddressInfo // the server listens on TCP
  return {
    url: `http://127.0.0.1:${port}/mcp`,
    port,
    sessions,
    received: () => pieces.join('\n'),
    [Symbol.asyncDispose]: async () => {
      web.closeAllConnections()
      await new Promise((resolve) => web.close(resolve))
    },
  }
}

/** Uses every feature of both servers, alternately and at once. */
async function useBoth(servers: Pool<Name>, revision: string) {
  const names: readonly Name[] = ['alma', 'bela']
  const calls = names.flatMap((name) => [
    servers.call(
      `${name}__look`,
      { query: `query-for-${name}` },
      { onProgress: () => undefined, meta: { 'example/trace': `trace-for-${name}` } },
    ),
    ...(revision >= '2025-06-18' ? [servers.call(`${name}__order`)] : []),
    servers.call(`${name}__own-${name}`),
  ])
  const results = await Promise.all(calls)
  const notes = await Promise.all(names.map((name) => servers.clients[name].readResource('note:1')))
  return { texts: results.flatMap(({ content }) => content.map((block) => (block.type === 'text' ? block.text : ''))), notes }
}

describe.each(every)('two servers in a pool, %s', (revision) => {
  it('SECC-009 receive no data of each other', async () => {
    await using alma = await serve('alma')
    await using bela = await serve('bela')
    const entry = (name: Name, url: string) => ({
      target: url,
      options: {
        auth: { token: `token-for-${name}` },
        headers: { 'x-key': `key-for-${name}` },
        answers: { form: () => ({ action: 'accept' as const, content: { word: `word-for-${name}` } }) },
      },
    })
    const shared = { revision, verdicts: memoryRevisions(), onWarning: () => undefined }
    await using servers = await pool({ alma: entry('alma', alma.url), bela: entry('bela', bela.url) }, shared)
    const kit = await toolkit(servers, { provider: 'anthropic' })
    const { texts, notes } = await useBoth(servers, revision)

    const asks = revision >= '2025-06-18'
    const expected = (name: Name) => [
      `answer-of-${name} to query-for-${name}`,
      ...(asks ? [`${name} heard word-for-${name}`] : []),
      name,
    ]
    expect(texts).toEqual([...expected('alma'), ...expected('bela')])
    expect(notes).toMatchObject([[{ text: 'resource-of-alma' }], [{ text: 'resource-of-bela' }]])
    expect(kit.tools.map(({ name }) => name)).toContain('alma__own-alma')

    for (const [name, one, another] of [['alma', alma, bela] as const, ['bela', bela, alma] as const]) {
      // Each server did receive its own data, so the absence of the other data is significant.
      const about = [
        `token-for-${name}`,
        `key-for-${name}`,
        `query-for-${name}`,
        `trace-for-${name}`,
        ...(asks ? [`word-for-${name}`] : []),
      ]
      for (const said of about) expect(one.received()).toContain(said)
      expect(one.received()).not.toContain(other[name])
      expect(one.received()).not.toContain(String(another.port))
      for (const session of another.sessions) expect(one.received()).not.toContain(session)
    }
    if (revision < '2026-07-28') expect([alma.sessions.size, bela.sessions.size]).toEqual([1, 1])
  })

  it('SECC-009 cannot be called, read or closed by the name of the other', async () => {
    await using alma = await serve('alma')
    await using bela = await serve('bela')
    const shared = { revision, verdicts: memoryRevisions(), onWarning: () => undefined }
    await using servers = await pool({ alma: alma.url, bela: bela.url }, shared)
    await servers.listTools()
    const before = bela.received()
    await expect(servers.call('alma__own-bela')).rejects.toMatchObject({ code: 'not_offered' })
    await expect(servers.clients.alma.call('own-bela')).rejects.toMatchObject({ code: 'not_offered' })
    await servers.clients.alma.close()
    expect(bela.received().split('tools/call')).toHaveLength(before.split('tools/call').length)
    expect(await servers.call('bela__own-bela')).toMatchObject({ content: [{ text: 'bela' }] })
  })
})
