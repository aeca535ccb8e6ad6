// How sessions replace each other, and how they end.
import { setFlagsFromString } from 'node:v8'
import { runInNewContext } from 'node:vm'
import { describe, expect, it } from 'vitest'
import { Connection } from '../../src/client/connection/connection.js'
import { connect, memoryRevisions } from '../../src/client/index.js'
import { defaultClientLimits } from '../../src/client/options.js'
import { uncleanedText } from '../../src/client/server-text-cleaner.js'
import { type ClientTransport, type Endpoint, TransportError } from '../../src/peer/client-transport.js'
import { revisionSetOf } from '../../src/revisions/index.js'
import { expectWithin } from '../soak.js'
import { plainTool, type RequestHandler, type Script, scriptedEndpoint, silence, textResult, toolsPage } from './scripted.js'

const old = '2025-11-25'
const gone = () => new TransportError('session-gone', 'HTTP 404', { sent: false, status: 404 })
const tools: Script = { 'tools/list': toolsPage([plainTool('echo')]), 'tools/call': textResult('hi') }

/** Counts the closed links of an endpoint. */
function counting(endpoint: Endpoint): Endpoint & { closed: number } {
  const counted = {
    ...endpoint,
    closed: 0,
    dial: async (listener: Parameters<Endpoint['dial']>[0]): Promise<ClientTransport> => ({
      ...(await endpoint.dial(listener)),
      close: async () => void counted.closed++,
    }),
  }
  return counted
}

const open = (endpoint: Endpoint, more = {}) =>
  connect(endpoint, { revision: old, verdicts: memoryRevisions(), onWarning: () => undefined, ...more })

const connectionTo = (endpoint: Endpoint, versions: readonly string[] = [old]) =>
  new Connection({
    endpoint,
    revisions: revisionSetOf(versions),
    limits: defaultClientLimits,
    discover: true,
    store: memoryRevisions(),
    declaration: () => ({ clientInfo: { name: 'test', version: '1' }, capabilities: {}, logLevel: undefined }),
    asked: async () => ({}),
    partyOf: () => undefined,
    notified: () => undefined,
    began: () => undefined,
    ended: () => undefined,
    forgotten: () => undefined,
    offersChanged: () => undefined,
    missed: () => undefined,
    warn: () => undefined,
    textCleaner: async () => uncleanedText,
  })

describe('a request that belongs to one session', () => {
  it('fails if the session has ended, and is not sent in the next one', async () => {
    let calls = 0
    const { endpoint, server } = scriptedEndpoint(
      { 'tools/call': () => (calls++ === 0 ? gone() : textResult('hi')) },
      { revision: old },
    )
    const connection = connectionTo(endpoint)
    const { number: within } = await connection.session()
    expect(connection.current?.number).toBe(within)
    const failure = { code: 'disconnected', cause: { code: 'session-gone', sent: false } }
    await expect(connection.request('tools/call', { name: 'pay' }, { sessionNumber: within })).rejects.toMatchObject(failure)
    await expect(connection.request('tools/call', { name: 'pay' })).resolves.toMatchObject({ content: [{ text: 'hi' }] })
    await expect(connection.request('tools/call', { name: 'pay' }, { sessionNumber: within })).rejects.toMatchObject(failure)
    expect(server.received('tools/call')).toHaveLength(2)
    await connection.close()
  })
})

describe('a session that has ended', () => {
  it('can be collected while its connection continues', async () => {
    setFlagsFromString('--expose-gc')
    const collect = runInNewContext('gc') as () => void
    const { endpoint, server } = scriptedEndpoint({}, { revision: old })
    const connection = connectionTo(endpoint)
    const openNext = async () => new WeakRef(await connection.session())
    const first = await openNext()
    server.hangUp()
    await openNext()
    server.hangUp()
    await openNext()
    await expect.poll(() => [collect(), first.deref() === undefined][1]).toBe(true)
    await connection.close()
  })
})

describe('a result', () => {
  it('is not lost if the connection ends with it', async () => {
    const answers: RequestHandler = ({ id }, server) => {
      server.say({ id: id as number, result: textResult('done') })
      server.hangUp()
      return silence
    }
    const { endpoint } = scriptedEndpoint({ ...tools, 'tools/call': answers }, { revision: old })
    await using client = await open(endpoint)
    await expect(client.call('echo')).resolves.toMatchObject({ content: [{ text: 'done' }] })
  })

  it('has the revision of its own session', async () => {
    let version = old
    const { endpoint } = scriptedEndpoint(
      {
        initialize: () => ({ protocolVersion: version, capabilities: {}, serverInfo: { name: 's', version: '1' } }),
        'resources/list': silence,
        'prompts/list': () => {
          if (version === '2025-06-18') return { prompts: [] }
          version = '2025-06-18'
          return gone()
        },
      },
      { revision: old },
    )
    const connection = connectionTo(endpoint, ['2025-06-18', old])
    const first = await connection.session()
    const slow = connection.request('resources/list')
    const prompts = await connection.request('prompts/list')
    // The pending request is still awaited in the old session.
    first.hear({ kind: 'response', response: { jsonrpc: '2.0', id: 2, result: { resources: [] } } })
    expect(connection.revisionOf(await slow).version).toBe(old)
    expect(connection.revisionOf(prompts).version).toBe('2025-06-18')
    expect(connection.revision.version).toBe('2025-06-18')
    await connection.close()
  })
})

describe('close', () => {
  it('also ends a session that was replaced while a call was pending', async () => {
    let isGone = false
    const { endpoint: inner, server } = scriptedEndpoint(
      {
        'tools/list': toolsPage([plainTool('slow'), plainTool('fast')]),
        'tools/call': ({ params }) => {
          if (params.name === 'slow') return silence
          if (isGone) return textResult('hi')
          isGone = true
          return gone()
        },
      },
      { revision: old },
    )
    const endpoint = counting(inner)
    const client = await open(endpoint)
    const slow = client.call('slow')
    slow.catch(() => undefined)
    await expect.poll(() => server.received('tools/call')).toHaveLength(1)
    await client.call('fast')
    expect(endpoint.closed).toBe(0)
    await client.close()
    expect(endpoint.closed).toBe(2)
    await expect(slow).rejects.toMatchObject({ code: 'outcome_unknown' })
  })

  it.each(['handshake', 'dial'] as const)('does not wait for an endless %s', async (what) => {
    let dials = 0
    const { endpoint: inner, server } = scriptedEndpoint(
      {
        initialize: () =>
          dials > 1 ? silence : { protocolVersion: old, capabilities: {}, serverInfo: { name: 's', version: '1' } },
      },
      { revision: old },
    )
    const endpoint = counting({
      ...inner,
      dial: (listener) => {
        dials++
        return dials > 1 && what === 'dial' ? new Promise(() => undefined) : inner.dial(listener)
      },
    })
    const client = await open(endpoint)
    server.hangUp()
    const pending = client.ping()
    pending.catch(() => undefined)
    await expect.poll(() => dials).toBe(2)
    const started = performance.now()
    await client.close()
    await expect(pending).rejects.toMatchObject({ code: 'closed' })
    expectWithin(performance.now() - started, 500)
    expect(dials).toBe(2)
    await expect(client.ping()).rejects.toMatchObject({ code: 'closed' })
  })

  it('closes a connection that opens too late', async () => {
    const arrivals: (() => void)[] = []
    const { endpoint: inner, server } = scriptedEndpoint({}, { revision: old })
    const endpoint = counting({
      ...inner,
      dial: async (listener) => {
        if (server.dials > 0) await new Promise<void>((resolve) => arrivals.push(resolve))
        return inner.dial(listener)
      },
    })
    const client = await open(endpoint)
    server.hangUp()
    client.ping().catch(() => undefined)
    await expect.poll(() => arrivals).toHaveLength(1)
    await client.close()
    const before = endpoint.closed
    arrivals[0]?.()
    await expect.poll(() => endpoint.closed).toBe(before + 1)
  })
})

describe('a caller that waits for a connection', () => {
  async function stuck() {
    let dials = 0
    let arrive: () => void = () => undefined
    const { endpoint: inner, server } = scriptedEndpoint(tools, { revision: old })
    const endpoint: Endpoint = {
      ...inner,
      dial: async (listener) => {
        if (dials++ > 0) await new Promise<void>((resolve) => (arrive = resolve))
        return inner.dial(listener)
      },
    }
    const client = await open(endpoint)
    server.hangUp()
    return { client, dials: () => dials, arrive: () => arrive() }
  }

  it('may stop waiting without affecting others', async () => {
    const { client, dials, arrive } = await stuck()
    const abort = new AbortController()
    const gaveUp = client.listTools({ signal: abort.signal })
    const late = client.request('ping', undefined, { totalMs: 30 })
    const patient = client.listTools()
    abort.abort()
    await expect(gaveUp).rejects.toMatchObject({ code: 'cancelled' })
    await expect(late).rejects.toMatchObject({ code: 'timed_out' })
    arrive()
    await expect(patient).resolves.toHaveLength(1)
    expect(dials()).toBe(2)
    await client.close()
  })
})
