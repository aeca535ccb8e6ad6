// The relay of everything except questions: results, progress, logs, cancellation, errors, resources, prompts, completions.
import { type Context, prompt, resource, server, template, tool } from 'toolwire'
import type { Arrival } from 'toolwire/auth'
import { connect, memoryRevisions } from 'toolwire/client'
import type { types } from 'toolwire/relay'
import { describe, expect, it, onTestFinished } from 'vitest'
import { z } from 'zod'
import {
  askingServer,
  client,
  eventually,
  gateway,
  http,
  listening,
  modern,
  revisions,
  upstream,
  words,
} from '../support/upstream-fixture.js'

const pairs = [modern, '2025-11-25'].flatMap((serverRevision) => revisions.map((caller) => ({ server: serverRevision, caller })))

describe.each(pairs)('a server of $server and a client of $caller', ({ server: revision, caller }) => {
  it('GW-001 GW-003 relay results, progress and logs', async () => {
    const { target } = await askingServer(revision, 'http')
    const { url } = await gateway([upstream('asking', target)])
    const logs: unknown[] = []
    const one = await client(url, { revision: caller, logLevel: 'info', onLog: ({ data }) => logs.push(data) })
    const steps: unknown[] = []
    const result = await one.call(
      'asking__steps',
      { steps: 20 },
      { onProgress: ({ progress, total }) => steps.push([progress, total]) },
    )
    expect(words(result)).toBe('arrived')
    expect(steps.at(-1)).toEqual([20, 20])
    expect(logs.length).toBeGreaterThan(0)
    const sum = await one.call('asking__sum', { a: 1, b: 2 })
    expect(words(sum)).toBe('{"sum":3}')
    if (caller >= '2025-06-18') expect(sum.structuredContent).toEqual({ sum: 3 })
  })

  it('GW-013 relay a cancellation to the upstream', async () => {
    const { target, done } = await askingServer(revision, 'http')
    const { url } = await gateway([upstream('asking', target)])
    const one = await client(url, { revision: caller })
    const stop = new AbortController()
    const call = one.call('asking__wait', {}, { signal: stop.signal })
    await eventually(() => done.waits === 1)
    stop.abort()
    await expect(call).rejects.toMatchObject({ code: 'cancelled' })
    await eventually(() => done.cancelled === 1)
  })

  it('report invalid arguments in the form of their revision, and no call is made', async () => {
    const { target } = await askingServer(revision, 'http')
    const { url } = await gateway([upstream('asking', target)])
    const one = await client(url, { revision: caller, listFirst: false })
    const outcome = await one.call('asking__sum', { a: 'x', b: 2 }).catch((thrown: Error) => thrown)
    expect(outcome instanceof Error ? outcome.message : words(outcome)).toContain('/a')
  })
})

describe('a caller that hangs up', () => {
  it('GW-013 cancels the call of an older server over stdio with a notification', async () => {
    const { target } = await askingServer('2025-11-25', 'pipe')
    const { url } = await gateway([upstream('asking', target)])
    const one = await client(url, { revision: modern })
    const stop = new AbortController()
    const call = one.call('asking__wait', {}, { signal: stop.signal })
    const counts = async () => JSON.parse(words(await one.call('asking__counts'))) as { waits?: number; cancelled?: number }
    await expect.poll(counts).toEqual({ waits: 1 })
    stop.abort()
    await expect(call).rejects.toMatchObject({ code: 'cancelled' })
    await expect.poll(counts).toEqual({ waits: 1, cancelled: 1 })
  })
})

describe.each(pairs)('a read from a server of $server by a client of $caller', ({ server: revision, caller }) => {
  const ref = { type: 'ref/prompt', name: 'hanging__p' } as const
  const of = { type: 'ref/resource', uri: 't:{x}' } as const
  it.each([
    ['prompts/get', { name: 'hanging__p' }],
    ['resources/read', { uri: 'r:1' }],
    ['resources/read', { uri: 't:1' }],
    ['completion/complete', { ref, argument: { name: 'a', value: '' } }],
    ['completion/complete', { ref: of, argument: { name: 'x', value: '' } }],
  ])('GW-013 is cancelled at its server, and passes its metadata on with one more hop: %s %j', async (method, params) => {
    const { app, begun, aborted } = hangingServer()
    const behind = upstream('hanging', http((await listening(app)).url), { revision })
    const one = await client((await gateway([behind])).url, { revision: caller })
    const stop = new AbortController()
    const meta = { 'com.example/note': 'for the server', 'dev.toolwire/hops': 3 }
    const asked = one.request(method, params, { signal: stop.signal, meta })
    await eventually(() => begun.length === 1)
    expect(begun).toMatchObject([{ ...meta, 'dev.toolwire/hops': 4 }])
    stop.abort()
    await expect(asked).rejects.toMatchObject({ code: 'cancelled' })
    await eventually(() => aborted.length === 1)
    await expect(one.request(method, params, { meta: { 'dev.toolwire/hops': 5 } })).rejects.toThrow('has passed 5 gateways')
    expect(begun).toHaveLength(1)
  })
})

/** A server that answers no read until it is aborted. */
function hangingServer() {
  const begun: unknown[] = []
  const aborted: unknown[] = []
  const hang = ({ meta, signal }: Pick<Context, 'meta' | 'signal'>) => {
    begun.push(meta)
    return new Promise<never>((_, reject) =>
      signal.addEventListener('abort', () => {
        aborted.push(meta)
        reject(signal.reason)
      }),
    )
  }
  const complete: types.Completer = (...[, , , ctx]) => hang(ctx)
  const app = server({
    name: 'hanging',
    version: '1.0.0',
    prompts: { p: prompt({ args: { a: { complete } }, run: (_, ctx) => hang(ctx) }) },
    resources: {
      r: resource({ uri: 'r:1', read: hang }),
      t: template({ uriTemplate: 't:{x}', complete: { x: complete }, read: (_, ctx) => hang(ctx) }),
    },
  })
  return { app, begun, aborted }
}

describe('two callers with the same request ids and progress tokens', () => {
  it('GW-001 each get their own answers and their own progress', async () => {
    const { target } = await askingServer('2025-11-25', 'pipe')
    const { url } = await gateway([upstream('asking', target)])
    const messagesPerCaller = await Promise.all(
      [3, 5].map(async (steps) => {
        const body = {
          jsonrpc: '2.0',
          id: 1,
          method: 'tools/call',
          params: {
            name: 'asking__steps',
            arguments: { steps },
            _meta: {
              progressToken: 1,
              'io.modelcontextprotocol/protocolVersion': modern,
              'io.modelcontextprotocol/clientCapabilities': {},
            },
          },
        }
        const response = await fetch(url, {
          method: 'POST',
          headers: {
            'content-type': 'application/json',
            accept: 'application/json, text/event-stream',
            'mcp-protocol-version': modern,
            'mcp-method': 'tools/call',
            'mcp-name': 'asking__steps',
          },
          body: JSON.stringify(body),
        })
        const lines = (await response.text()).split('\n').filter((line) => line.startsWith('data: {'))
        return lines.map((line) => JSON.parse(line.slice(6)))
      }),
    )
    for (const [index, steps] of [3, 5].entries()) {
      const messages = messagesPerCaller[index]!
      expect(messages.at(-1)).toMatchObject({ id: 1, result: { content: [{ text: 'arrived' }] } })
      const progress = messages.filter(({ method }) => method === 'notifications/progress').map(({ params }) => params)
      expect(progress.length).toBeGreaterThan(0)
      for (const params of progress) expect(params).toMatchObject({ progressToken: 1, total: steps })
    }
  })
})

it('CACHE-009 callers each get what the upstream reads for them, however long it lets results be cached', async () => {
  const inbox = resource({ uri: 'note://inbox', read: ({ meta }) => `for ${meta['example.com/user']}` })
  const cache = { ttlMs: 60_000, scope: 'public' } as const
  const { url } = await listening(server({ name: 'notes', version: '1.0.0', cache, resources: { inbox } }))
  const front = await gateway([upstream('notes', http(url), { revision: modern })])
  for (const user of ['ada', 'grace', 'ada']) {
    const one = await client(front.url)
    const meta = { 'example.com/user': user }
    expect(await one.readResource('note://inbox', { meta })).toMatchObject([{ text: `for ${user}` }])
  }
})

describe('the request to an upstream', () => {
  it('GW-006 GW-007 contains its own name for the tool and the credentials of the gateway, and no data of the caller', async () => {
    const headers = ['authorization', 'x-gateway', 'x-caller', 'cookie', 'mcp-method', 'mcp-name', 'mcp-session-id']
    const requests: Record<string, unknown>[] = []
    const app = server({
      name: 'seen',
      version: '1.0.0',
      tools: { echo: tool({ description: 'Echoes', input: z.object({ text: z.string() }), run: ({ text }) => text }) },
    })
    const authenticate = async ({ header }: Arrival) => {
      requests.push(Object.fromEntries(headers.map((name) => [name, header(name)])))
      return { id: 'gateway', scopes: [] }
    }
    const { url } = await listening(app, { authenticate })
    const behind = upstream('seen', http(url, { authorization: 'Bearer gateway', 'x-gateway': 'yes' }), { revision: modern })
    const front = await gateway([behind], { listen: { authenticate: async () => ({ id: 'ada', scopes: [] }) } })
    const one = await client(front.url, {
      auth: { token: 'secret of the caller' },
      headers: { 'x-caller': 'ada', cookie: 'a=b' },
      revision: modern,
    })
    await one.call(
      'seen__echo',
      { text: 'hi' },
      { meta: { 'com.example/note': 'for the server', traceparent: `00-${'a'.repeat(32)}-${'b'.repeat(16)}-01` } },
    )
    const call = requests.find((one) => one['mcp-method'] === 'tools/call')
    expect(call).toMatchObject({ 'mcp-name': 'echo', authorization: 'Bearer gateway', 'x-gateway': 'yes' })
    expect(requests.filter((one) => one['x-caller'] !== undefined || one.authorization !== 'Bearer gateway')).toEqual([])
  })
})

describe('resources, prompts and completions', () => {
  const shelf = (more = '') => {
    let text = `first${more}`
    const app = server({
      name: 'shelf',
      version: '1.0.0',
      tools: {
        write: tool({
          description: 'Writes',
          input: z.object({ words: z.string() }),
          run: (input) => {
            text = input.words
            app.resources.updated('note://today')
            return 'written'
          },
        }),
      },
      resources: {
        today: resource({ uri: 'note://today', title: `Today${more}`, read: () => text }),
        bytes: resource({
          uri: `bytes://${more.trim() || 'one'}`,
          mimeType: 'application/octet-stream',
          read: () => new Uint8Array([1, 2]),
        }),
        day: template({
          uriTemplate: `note://day${more.trim()}/{day}`,
          complete: { day: (prefix) => ['monday', 'tuesday'].filter((day) => day.startsWith(prefix)) },
          read: ({ day }) => (day === 'sunday' ? undefined : `what ${day} brings`),
        }),
      },
      prompts: {
        greet: prompt({
          description: 'Greets',
          args: { name: { required: true, complete: (prefix) => ['Ada', 'Alan'].filter((name) => name.startsWith(prefix)) } },
          run: ({ name }) => `Hello ${name}${more}`,
        }),
      },
    })
    return app
  }

  it.each(revisions)('GW-003 are relayed to a client of %s', async (revision) => {
    const { url: behind } = await listening(shelf())
    const { url } = await gateway([upstream('shelf', http(behind))])
    const one = await client(url, { revision })
    expect((await one.listResources()).map(({ uri, name }) => [uri, name])).toEqual([
      ['bytes://one', 'bytes'],
      ['note://today', 'today'],
    ])
    expect(await one.readResource('note://today')).toMatchObject([{ uri: 'note://today', text: 'first' }])
    expect(await one.readResource('bytes://one')).toMatchObject([{ blob: 'AQI=' }])
    expect((await one.listResourceTemplates()).map(({ uriTemplate }) => uriTemplate)).toEqual(['note://day/{day}'])
    expect(await one.readResource('note://day/monday')).toMatchObject([{ text: 'what monday brings' }])
    await expect(one.readResource('note://day/sunday')).rejects.toMatchObject({ name: 'ResourceMissing' })
    expect(await one.complete({ type: 'ref/resource', uri: 'note://day/{day}' }, { name: 'day', value: 't' })).toMatchObject({
      values: ['tuesday'],
    })
    expect((await one.listPrompts()).map(({ name }) => name)).toEqual(['shelf__greet'])
    expect(await one.getPrompt('shelf__greet', { name: 'Ada' })).toMatchObject({
      messages: [{ role: 'user', content: { text: 'Hello Ada' } }],
    })
    expect(await one.complete({ type: 'ref/prompt', name: 'shelf__greet' }, { name: 'name', value: 'Al' })).toMatchObject({
      values: ['Alan'],
    })
  })

  it.each([0, 1])('a URI that two upstreams list is read from neither, in any order of the config: %i', async (turn) => {
    const [{ url: one }, { url: other }] = [await listening(shelf(' one')), await listening(shelf(' two'))]
    const both = [upstream('z', http(one)), upstream('a', http(other))]
    const { url, offer, notes } = await gateway(turn === 0 ? both : both.toReversed())
    const caller = await client(url)
    await expect(caller.readResource('note://today')).rejects.toThrow('Resource not found')
    const why = 'a and z all have note://today, so the name is ambiguous, and none of them offers it'
    expect(notes).toContain(why)
    const withheld = offer.withheld.filter(({ name }) => name === 'note://today').map((one) => [one.upstream, one.why])
    expect(withheld.toSorted()).toEqual([
      ['a', why],
      ['z', why],
    ])
  })

  it.each([
    '2025-11-25',
    modern,
  ])('GW-002 are subscribed to at their upstreams exactly while clients of %s subscribe', async (revision) => {
    const behind = shelf()
    const { url } = await gateway([upstream('shelf', http((await listening(behind)).url))])
    const changedUris: string[][] = [[], []]
    const [one, other] = await Promise.all(
      changedUris.map(async (uris) => {
        const subscriber = await connect(url, { revision, verdicts: memoryRevisions() })
        onTestFinished(() => subscriber.close())
        subscriber.onChange((change) => change.kind === 'resource' && uris.push(change.uri))
        return subscriber
      }),
    )
    const stop = await one!.watch('note://today')
    const stopOther = await other!.watch('note://today')
    await eventually(() => behind.watched.uris.has('note://today'))
    await one!.call('shelf__write', { words: 'second' })
    await eventually(() => changedUris.every((uris) => uris.includes('note://today')))
    await stop()
    await new Promise((resolve) => setTimeout(resolve, 100))
    expect(behind.watched.uris.has('note://today')).toBe(true)
    await stopOther()
    await eventually(() => !behind.watched.uris.has('note://today'))
  })

  it.each(['2025-11-25', modern])('GW-002 are subscribed to again after a config change, for clients of %s', async (revision) => {
    const behind = shelf()
    const upstreams = [upstream('shelf', http((await listening(behind)).url))]
    const { url, offer } = await gateway(upstreams)
    const caller = await connect(url, { revision, verdicts: memoryRevisions() })
    onTestFinished(() => caller.close())
    const news: string[] = []
    caller.onChange((change) => change.kind === 'resource' && news.push(change.uri))
    await caller.watch('note://today')
    await eventually(() => behind.watched.uris.has('note://today'))
    offer.use({ upstreams })
    await offer.open()
    await eventually(() => behind.watched.uris.has('note://today'))
    await caller.call('shelf__write', { words: 'second' })
    await eventually(() => news.includes('note://today'))
  })
})
