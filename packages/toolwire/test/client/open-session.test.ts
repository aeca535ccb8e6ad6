// Detecting the revision of a server.
import { describe, expect, it } from 'vitest'
import { type CallFailure, connect, memoryRevisions } from '../../src/client/index.js'
import type { JsonObject } from '../../src/json.js'
import { type Endpoint, TransportError } from '../../src/peer/client-transport.js'
import { until } from '../revisions.js'
import { Fails, plainTool, type Reply, type Script, scriptedEndpoint, silence, textResult, toolsPage } from './scripted.js'

const modern = '2026-07-28'
const newestOld = '2025-11-25'
const tools: Script = { 'tools/list': toolsPage([plainTool('echo')]), 'tools/call': textResult('hi') }
const serverInfo = { name: 's', version: '1' }
const hands = (protocolVersion: string): JsonObject => ({ protocolVersion, capabilities: { tools: {} }, serverInfo })
const offers = (...supportedVersions: string[]): JsonObject => ({
  resultType: 'complete',
  supportedVersions,
  capabilities: { tools: {} },
  ttlMs: 0,
  cacheScope: 'private',
})
const refusal = (supported: string[]) => new Fails(-32_022, 'Unsupported protocol version', { supported, requested: modern })

const quick = { limits: { probeMs: 60 }, onWarning: () => undefined }
const open = (endpoint: Endpoint, more = {}) => connect(endpoint, { ...quick, verdicts: memoryRevisions(), ...more })
const thrownBy = async (work: Promise<unknown>) => (await work.catch((thrown: unknown) => thrown)) as CallFailure

/** Responses of older servers to an unknown request. */
const oldAnswers: Readonly<Record<string, Reply>> = {
  'unknown method': new Fails(-32_601),
  'invalid params': new Fails(-32_602),
  'a server error code': new Fails(-32_000, 'Bad Request: no valid session'),
  'an unassigned error code': new Fails(7),
  'an empty result': {},
  silence,
  'HTML with 400': new TransportError('status', 'HTTP 400', { sent: false, status: 400 }),
  'garbage with 200': new TransportError('garbage', 'no JSON', { sent: true }),
}

describe.each(Object.entries(oldAnswers))('an older server that answers with %s', (_, answer) => {
  it('VER-004 VER-006 is used with a handshake', async () => {
    const { endpoint, server } = scriptedEndpoint(
      { ...tools, 'server/discover': answer, initialize: hands(newestOld) },
      { revision: newestOld },
    )
    await using client = await open(endpoint)
    expect(client.server.revision).toBe(newestOld)
    expect(server.sent.slice(0, 3).map(({ method }) => method)).toEqual([
      'server/discover',
      'initialize',
      'notifications/initialized',
    ])
  })
})

it('VER-003 probes the revision of an unknown server before any other request', async () => {
  const { endpoint, server } = scriptedEndpoint(tools, { revision: modern })
  await using client = await open(endpoint)
  await client.call('echo')
  expect(server.sent.map(({ method }) => method)).toEqual(['server/discover', 'tools/list', 'tools/call'])
})

it('a server that exits at requests before the handshake gets a new connection for it', async () => {
  const { endpoint, server } = scriptedEndpoint(
    {
      ...tools,
      'server/discover': (_, on) => {
        on.hangUp(new TransportError('exited', 'ended with code 1', { sent: true }))
        return silence
      },
      initialize: hands(newestOld),
    },
    { revision: newestOld },
  )
  await using client = await open(endpoint)
  expect(client.server.revision).toBe(newestOld)
  expect(server.dials).toBe(2)
  await expect(client.call('echo')).resolves.toMatchObject({ isError: false })
})

describe('a server of the latest kind that does not support the version', () => {
  it('VER-002 VER-005 is asked again with a common version, and never by a handshake', async () => {
    let asked = 0
    const { endpoint, server } = scriptedEndpoint(
      { ...tools, initialize: hands(newestOld), 'server/discover': () => (asked++ === 0 ? refusal([modern]) : offers(modern)) },
      { revision: modern },
    )
    await using client = await open(endpoint)
    expect(client.server.revision).toBe(modern)
    const [first, second] = server.received('server/discover')
    expect(second?.id).not.toBe(first?.id)
    expect(server.received('initialize')).toEqual([])
  })

  it('VER-002 VER-005 is abandoned with an explanation if there is no common version', async () => {
    for (const answer of [refusal(['2030-01-01']), refusal([]), offers('2030-01-01')]) {
      const { endpoint, server } = scriptedEndpoint(
        { ...tools, initialize: hands(newestOld), 'server/discover': answer },
        { revision: modern },
      )
      const thrown = await thrownBy(open(endpoint))
      expect(thrown).toMatchObject({ code: 'no_common_revision' })
      expect(thrown.message).toContain(modern)
      expect(server.received('initialize')).toEqual([])
    }
  })

  it('VER-005 is not taken for an older one because of another error of the revision', async () => {
    for (const code of [-32_020, -32_021]) {
      const { endpoint, server } = scriptedEndpoint(
        { ...tools, initialize: hands(newestOld), 'server/discover': new Fails(code) },
        { revision: modern },
      )
      expect(await thrownBy(open(endpoint))).toMatchObject({ code })
      expect(server.received('initialize')).toEqual([])
    }
  })
})

it('VER-013 a client of only the latest revision rejects an older server with an explanation, and calls nothing', async () => {
  const { endpoint, server } = scriptedEndpoint(
    { ...tools, 'server/discover': new Fails(-32_601), initialize: hands(newestOld) },
    { revision: newestOld },
  )
  const thrown = await thrownBy(open(endpoint, { revision: modern }))
  expect(thrown).toMatchObject({ code: 'no_common_revision', message: expect.stringContaining('server/discover') })
  expect(server.sent.map(({ method }) => method)).toEqual(['server/discover'])
})

it('DISC-005 uses the latest version that the server has listed', async () => {
  const { endpoint, server } = scriptedEndpoint(
    { ...tools, 'server/discover': offers('2020-01-01', modern) },
    { revision: modern },
  )
  await using client = await open(endpoint)
  await client.call('echo')
  for (const { text } of server.sent)
    expect(JSON.parse(text).params._meta['io.modelcontextprotocol/protocolVersion']).toBe(modern)
})

it('DISC-003 sends no probe if configured so', async () => {
  const { endpoint, server } = scriptedEndpoint(tools, { revision: modern })
  await using client = await open(endpoint, { revision: modern, discover: false })
  await expect(client.listTools()).resolves.toHaveLength(1)
  await expect(client.call('echo')).resolves.toMatchObject({ isError: false })
  expect(server.received('server/discover')).toEqual([])
})

describe('VER-007 the detected revision of a server', () => {
  it('is remembered for the next connection', async () => {
    const verdicts = memoryRevisions()
    for (const [revision, opening] of [
      [modern, []],
      [newestOld, ['initialize', 'notifications/initialized']],
    ] as const) {
      const { endpoint, server } = scriptedEndpoint(
        { ...tools, ...(revision === newestOld && { 'server/discover': new Fails(-32_601) }), initialize: hands(newestOld) },
        { revision },
      )
      await (await open(endpoint, { verdicts })).close()
      const before = server.sent.length
      await using again = await open(endpoint, { verdicts })
      await again.listTools()
      expect(server.sent.slice(before).map(({ method }) => method)).toEqual([...opening, 'tools/list'])
    }
  })

  it('is detected again if it is no longer true', async () => {
    const verdicts = memoryRevisions()
    let downgraded = false
    const gone = () => new TransportError('status', 'HTTP 404', { sent: false, status: 404 })
    const { endpoint, server } = scriptedEndpoint(
      {
        'server/discover': () => (downgraded ? gone() : offers(modern)),
        initialize: () => hands(newestOld),
        'tools/list': ({ params }) => (downgraded && '_meta' in params ? gone() : toolsPage([plainTool('echo')])),
      },
      { revision: modern },
    )
    await (await open(endpoint, { verdicts })).close()
    downgraded = true
    await using client = await open(endpoint, { verdicts })
    await expect(client.listTools()).resolves.toHaveLength(1)
    expect(client.server.revision).toBe(newestOld)
    expect(server.received('initialize')).toHaveLength(1)
  })

  it('is detected again after an older server was upgraded', async () => {
    const verdicts = memoryRevisions()
    let upgraded = false
    const { endpoint } = scriptedEndpoint(
      {
        ...tools,
        'server/discover': () => (upgraded ? offers(modern) : new Fails(-32_601)),
        initialize: () => (upgraded ? new Fails(-32_601) : hands(newestOld)),
      },
      { revision: modern },
    )
    await (await open(endpoint, { verdicts })).close()
    upgraded = true
    await using client = await open(endpoint, { verdicts })
    expect(client.server.revision).toBe(modern)
  })

  it('expires after a day', () => {
    let now = 0
    const verdicts = memoryRevisions(() => now)
    verdicts.set('a', { revision: modern, at: 0 })
    now = 86_399_999
    expect(verdicts.get('a')).toBeDefined()
    now = 86_400_000
    expect(verdicts.get('a')).toBeUndefined()
  })
})

it('LIFE-007 offers the latest of the configured versions', async () => {
  const { endpoint, server } = scriptedEndpoint({ ...tools, initialize: hands('2025-06-18') }, { revision: '2025-06-18' })
  await using client = await open(endpoint, { revision: ['2025-03-26', '2025-06-18', newestOld] })
  expect(server.received('initialize')[0]?.params).toMatchObject({ protocolVersion: newestOld })
  expect(client.server.revision).toBe('2025-06-18')
})

describe.each(until(newestOld))('an older server that supports only %s', (revision) => {
  it('LIFE-011 LIFE-012 is used with that version', async () => {
    const { endpoint } = scriptedEndpoint(
      { ...tools, 'server/discover': new Fails(-32_601), initialize: hands(revision) },
      { revision },
    )
    await using client = await open(endpoint)
    expect(client.server.revision).toBe(revision)
  })
})

it('VER-016 declares no deprecated capability without a handler for it', async () => {
  const { endpoint, server } = scriptedEndpoint(tools, { revision: modern })
  await using client = await open(endpoint)
  await client.listTools()
  const declared = JSON.parse(server.sent[0]?.text ?? '').params._meta['io.modelcontextprotocol/clientCapabilities']
  expect(declared).toEqual({ extensions: { 'io.modelcontextprotocol/tasks': {} } })
})

it('VER-015 an extension that the server lacks is not used', async () => {
  const { endpoint } = scriptedEndpoint(tools, { revision: modern })
  await using client = await open(endpoint, { extensions: { 'com.example/loud': {} } })
  await expect(client.call('echo')).resolves.toMatchObject({ content: [{ text: 'hi' }] })
})

it('an unreachable server causes an error that names it', async () => {
  const thrown = await thrownBy(connect('http://127.0.0.1:1/mcp', quick))
  expect(thrown).toMatchObject({ code: 'disconnected', message: expect.stringContaining('127.0.0.1') })
})
