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
import { type Part, plainTool, type Script, said, silence, theatre, toolsPage } from './scripted.js'

const old = '2025-11-25'
const gone = () => new TransportError('session-gone', 'HTTP 404', { sent: false, status: 404 })
const tools: Script = { 'tools/list': toolsPage([plainTool('echo')]), 'tools/call': said('hi') }

/** Counts the closed links of an endpoint. */
function counting(way: Endpoint): Endpoint & { closed: number } {
  const counted = {
    ...way,
    closed: 0,
    dial: async (listener: Parameters<Endpoint['dial']>[0]): Promise<ClientTransport> => ({
      ...(await way.dial(listener)),
      close: async () => void counted.closed++,
    }),
  }
  return counted
}

const open = (way: Endpoint, more = {}) =>
  connect(way, { revision: old, verdicts: memoryRevisions(), onWarning: () => undefined, ...more })

const connectionTo = (way: Endpoint, versions: readonly string[] = [old]) =>
  new Connection({
    endpoint: way,
    revisions: revisionSetOf(versions),
    limits: defaultClientLimits,
    discover: true,
    store: memoryRevisions(),
    declaration: () => ({ clientInfo: { name: 'test', version: '1' }, capabilities: {}, logLevel: undefined }),
    asked: async () => ({}),
    notified: () => undefined,
    began: () => undefined,
    ended: () => undefined,
    forgotten: () => undefined,
    missed: () => undefined,
    warn: () => undefined,
    textCleaner: async () => uncleanedText,
  })

describe('a request that belongs to one session', () => {
  it('fails if the session has ended, and is not sent in the next one', async () => {
    let calls = 0
    const { way, stage } = theatre({ 'tools/call': () => (calls++ === 0 ? gone() : said('hi')) }, { revision: old })
    const connection = connectionTo(way)
    const { number: within } = await connection.session()
    expect(connection.current?.number).toBe(within)
    const failure = { code: 'disconnected', cause: { code: 'session-gone', sent: false } }
    await expect(connection.request('tools/call', { name: 'pay' }, { sessionNumber: within })).rejects.toMatchObject(failure)
    await expect(connection.request('tools/call', { name: 'pay' })).resolves.toMatchObject({ content: [{ text: 'hi' }] })
    await expect(connection.request('tools/call', { name: 'pay' }, { sessionNumber: within })).rejects.toMatchObject(failure)
    expect(stage.heard('tools/call')).toHaveLength(2)
    await connection.close()
  })
})

describe('a session that has ended', () => {
  it('can be collected while its connection continues', async () => {
    setFlagsFromString('--expose-gc')
    const collect = runInNewContext('gc') as () => void
    const { way, stage } = theatre({}, { revision: old })
    const connection = connectionTo(way)
    const openNext = async () => new WeakRef(await connection.session())
    const first = await openNext()
    stage.hangUp()
    await openNext()
    stage.hangUp()
    await openNext()
    await expect.poll(() => [collect(), first.deref() === undefined][1]).toBe(true)
    await connection.close()
  })
})

describe('a result', () => {
  it('is not lost if the connection ends with it', async () => {
    const answers: Part = ({ id }, stage) => {
      stage.say({ id: id as number, result: said('done') })
      stage.hangUp()
      return silence
    }
    const { way } = theatre({ ...tools, 'tools/call': answers }, { revision: old })
    await using client = await open(way)
    await expect(client.call('echo')).resolves.toMatchObject({ content: [{ text: 'done' }] })
  })

  it('has the revision of its own session', async () => {
    let version = old
    const { way } = theatre(
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
    const connection = connectionTo(way, ['2025-06-18', old])
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
    const { way: inner, stage } = theatre(
      {
        'tools/list': toolsPage([plainTool('slow'), plainTool('fast')]),
        'tools/call': ({ params }) => {
          if (params.name === 'slow') return silence
          if (isGone) return said('hi')
          isGone = true
          return gone()
        },
      },
      { revision: old },
    )
    const way = counting(inner)
    const client = await open(way)
    const slow = client.call('slow')
    slow.catch(() => undefined)
    await expect.poll(() => stage.heard('tools/call')).toHaveLength(1)
    await client.call('fast')
    expect(way.closed).toBe(0)
    await client.close()
    expect(way.closed).toBe(2)
    await expect(slow).rejects.toMatchObject({ code: 'outcome_unknown' })
  })

  it.each(['handshake', 'dial'] as const)('does not wait for an endless %s', async (what) => {
    let dials = 0
    const { way: inner, stage } = theatre(
      {
        initialize: () =>
          dials > 1 ? silence : { protocolVersion: old, capabilities: {}, serverInfo: { name: 's', version: '1' } },
      },
      { revision: old },
    )
    const way = counting({
      ...inner,
      dial: (listener) => {
        dials++
        return dials > 1 && what === 'dial' ? new Promise(() => undefined) : inner.dial(listener)
      },
    })
    const client = await open(way)
    stage.hangUp()
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
    const { way: inner, stage } = theatre({}, { revision: old })
    const way = counting({
      ...inner,
      dial: async (listener) => {
        if (stage.dials > 0) await new Promise<void>((resolve) => arrivals.push(resolve))
        return inner.dial(listener)
      },
    })
    const client = await open(way)
    stage.hangUp()
    client.ping().catch(() => undefined)
    await expect.poll(() => arrivals).toHaveLength(1)
    await client.close()
    const before = way.closed
    arrivals[0]?.()
    await expect.poll(() => way.closed).toBe(before + 1)
  })
})

describe('a caller that waits for a connection', () => {
  async function stuck() {
    let dials = 0
    let arrive: () => void = () => undefined
    const { way: inner, stage } = theatre(tools, { revision: old })
    const way: Endpoint = {
      ...inner,
      dial: async (listener) => {
        if (dials++ > 0) await new Promise<void>((resolve) => (arrive = resolve))
        return inner.dial(listener)
      },
    }
    const client = await open(way)
    stage.hangUp()
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
