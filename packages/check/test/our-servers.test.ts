import { listen } from 'toolwire/node'
import { describe, expect, it } from 'vitest'
import { programOf } from '../../toolwire/test/interop/servers/launch.js'
import { eachNth } from '../../toolwire/test/soak.js'
import { allChecks, type CheckReport, type CheckTarget, runCheck } from '../src/index.js'
import { changingTools, metaOf } from './faults/changes.js'
import { faulty } from './faulty.js'
import { everything, late, lingering, ours, script, sdkV1, sdkV2 } from './server-programs.js'
import { shop } from './shop.js'

const all = ['2026-07-28', '2025-11-25', '2025-06-18', '2025-03-26', '2024-11-05']
const slow = { name: 'slow', args: {} }
const missing = ({ results }: CheckReport): string[] =>
  results.flatMap(({ id, revision, outcome, detail }) => (outcome === 'missing' ? [`${revision} ${id}: ${detail}`] : []))
const outcome = ({ results }: CheckReport, id: string) => new Set(results.flatMap((one) => (one.id === id ? [one.outcome] : [])))

describe('Our own server', () => {
  it('passes every check over HTTP, in any revision', async () => {
    const listening = await listen(shop(), { signals: false })
    try {
      const report = await runCheck({ url: listening.url }, { slow, timeoutMs: 10_000 })
      expect(report.revisions).toEqual(all)
      expect(report.server).toEqual({ name: 'shop', version: '1.0.0' })
      expect(missing(report)).toEqual([])
      // In the revisions in which a disconnect cancels a call, no connection is left to observe the cancellation.
      expect(outcome(report, 'cancel-honoured')).toEqual(new Set(['not-tried', 'enforced']))
      expect(outcome(report, 'http-host')).toEqual(new Set(['enforced']))
    } finally {
      await listening.close()
    }
  })

  it('passes every check over stdio, in any revision', async () => {
    // The soak tests all revisions. A normal run tests one, because over stdio each check starts a process.
    const revisions = eachNth(all, all.length)
    const report = await runCheck(ours, { revisions, slow: { name: 'wait', args: {} }, timeoutMs: 10_000 })
    expect(report.revisions).toEqual(revisions)
    expect(missing(report)).toEqual([])
    expect(outcome(report, 'cancel-honoured')).toEqual(new Set(['enforced']))
    expect(outcome(report, 'stdio-only-messages')).toEqual(new Set(['enforced']))
  })

  it('may start slowly', async () => {
    const only = ['base-ping-before-opening', 'open-unknown-version', 'open-first']
    const report = await runCheck(late(3_000), { revisions: ['2025-11-25'], only, timeoutMs: 2_000 })
    expect(report.results.map(({ id, outcome }) => [id, outcome])).toEqual(only.map((id) => [id, 'enforced']))
  })

  it.each([
    ['enforced', { rateLimit: { server: { calls: 5, per: 'minute' } } } as const],
    ['missing', { rateLimit: false } as const],
  ])('that is flooded has its rate limit %s', async (wanted, guard) => {
    const listening = await listen(shop({ guard }), { signals: false })
    try {
      const report = await runCheck({ url: listening.url }, { only: ['call-limited'], revisions: ['2025-11-25'], flood: 30 })
      expect(report.results).toMatchObject([{ id: 'call-limited', outcome: wanted }])
    } finally {
      await listening.close()
    }
  })
})

describe('A flood of calls', () => {
  it.each([
    ['fail as the sample call did', { isError: true, content: [{ type: 'text', text: 'not found' }] }],
    ['are not answered', undefined],
  ])('shows no limit if the calls %s', async (_, result) => {
    await using server = await faulty({
      instead: (_asked, message) => {
        const { id = null, method } = message
        if (method !== 'tools/call') return undefined
        if (result) return { text: JSON.stringify({ jsonrpc: '2.0', id, result }) }
        // Only sample calls have a progress token.
        if (metaOf(message).progressToken !== undefined) return undefined
        return { headers: { 'content-type': 'text/event-stream' }, text: ': wait\n\n', open: true }
      },
    })
    const options = { only: ['call-limited'], revisions: ['2025-11-25'], flood: 5, timeoutMs: 2_000 }
    const report = await runCheck({ url: server.url }, options)
    expect(report.results).toMatchObject([{ id: 'call-limited', outcome: 'not-tried' }])
  })
})

/** The soak test runs all of them with all checks. Some take ten seconds, because every connection starts a process. */
const others: [string, () => CheckTarget | Promise<CheckTarget>][] = [
  ['the official SDK, v2', () => sdkV2],
  ['the official SDK, v1', () => sdkV1],
  ['server-everything', () => everything],
  ['fastmcp', () => programOf('fastmcp', 'stdio')],
]

const shown = ['base-id-echoed', 'list-shape']

// Most of the time is spent in timeouts.
describe.concurrent('A server with another implementation', () => {
  it.each(eachNth(others, others.length))('gets a complete report: %s', async (_, target) => {
    const ids = allChecks.filter((check) => check.revisions.some(({ version }) => version === '2025-11-25')).map(({ id }) => id)
    const only = ids.filter((id) => shown.includes(id) || eachNth(ids, 3).includes(id))
    const report = await runCheck(await target(), { revisions: ['2025-11-25'], only, timeoutMs: 8_000 })
    expect(report.revisions).toEqual(['2025-11-25'])
    expect(report.results.map(({ id }) => id)).toEqual(only)
    for (const id of shown) expect(outcome(report, id)).toEqual(new Set(['enforced']))
    for (const { detail, evidence } of report.results) {
      expect(detail).not.toBe('')
      for (const { sent, came } of evidence) expect(Math.max(sent.length, came.length)).toBeLessThan(5_000)
    }
  })
})

describe('A correct server', () => {
  it('is not blamed for messages about a cancelled call', async () => {
    const only = ['call-answered', 'progress-unasked', 'cancel-unknown']
    const report = await runCheck(lingering, { revisions: ['2025-11-25'], only, timeoutMs: 5_000 })
    expect(report.results.map(({ id, outcome }) => [id, outcome])).toEqual([
      ['call-answered', 'not-tried'],
      ['progress-unasked', 'enforced'],
      ['cancel-unknown', 'enforced'],
    ])
  })

  it('is not blamed for its rate limit', async () => {
    let lists = 0
    await using server = await faulty({
      instead: (_, { method }) =>
        method === 'tools/list' && ++lists > 3 ? { status: 429, headers: { 'retry-after': '60' } } : undefined,
    })
    const report = await runCheck({ url: server.url }, { revisions: ['2025-11-25'], only: ['base-'], timeoutMs: 8_000 })
    expect(missing(report)).toEqual([])
    const limited = report.results.filter(
      ({ detail }) =>
        detail === 'The rate limit of the server was reached. Use a key without one, or run fewer checks with --only',
    )
    expect(limited.length).toBeGreaterThan(0)
    expect(new Set(limited.map(({ outcome }) => outcome))).toEqual(new Set(['not-tried']))
  })

  it('is not blamed for checks that ran out of time', async () => {
    await using server = await faulty({
      before: ({ body }) => (body.includes('"ping"') ? new Promise(() => {}) : Promise.resolve()),
    })
    const report = await runCheck(
      { url: server.url },
      { revisions: ['2025-11-25'], only: ['base-ping'], timeoutMs: 30_000, totalMs: 3_000 },
    )
    expect(report.results.find(({ id }) => id === 'base-ping')).toMatchObject({
      outcome: 'not-tried',
      detail: 'The timeout of the whole check (--total) was reached',
    })
  })

  it('is not blamed for a header that repeats an absent argument', async () => {
    const region = { type: 'string', 'x-mcp-header': 'Region' }
    const where = { type: 'object', properties: { region } }
    const inputSchema = { type: 'object', required: ['where'], properties: { where } }
    const nested = changingTools((tools) => tools.map((tool) => (tool.name === 'find' ? { ...tool, inputSchema } : tool)))
    await using server = await faulty(nested())
    const report = await runCheck({ url: server.url }, { revisions: ['2026-07-28'], only: ['header-param-missing'] })
    expect(report.results).toMatchObject([{ outcome: 'not-tried' }])
  })

  it('may answer DELETE and OPTIONS with any JSON', async () => {
    await using server = await faulty({
      instead: ({ method }) => (method === 'DELETE' || method === 'OPTIONS' ? { text: '{"ok":true}' } : undefined),
    })
    const only = ['http-cors', 'session-ended', 'said-jsonrpc', 'said-one-of']
    const report = await runCheck({ url: server.url }, { revisions: ['2025-11-25'], only })
    expect(missing(report).filter((line) => line.includes('said-'))).toEqual([])
  })

  it('is waited for in all revisions at once', async () => {
    // The server answers invalid JSON only after the requests of every revision have arrived.
    let waiting = 0
    let go = () => {}
    const everyone = new Promise<void>((resolve) => {
      go = resolve
    })
    await using server = await faulty({
      before: ({ body }) => {
        if (body.toString() !== '{bad') return Promise.resolve()
        if (++waiting === all.length) go()
        return everyone
      },
    })
    const report = await runCheck({ url: server.url }, { only: ['base-parse-error'], timeoutMs: 10_000 })
    expect(report.results.map(({ outcome }) => outcome)).toEqual(all.map(() => 'enforced'))
    expect(waiting).toBe(all.length)
  })

  it('gets a response to its own request during a call', async () => {
    const asking = script(`
      import { createInterface } from 'node:readline'
      const tell = (message) => process.stdout.write(JSON.stringify({ jsonrpc: '2.0', ...message }) + '\\n')
      const about = { capabilities: { tools: {} }, serverInfo: { name: 'asking', version: '1' } }
      const tools = [{ name: 'ask', inputSchema: { type: 'object' }, annotations: { readOnlyHint: true } }]
      let call
      for await (const line of createInterface({ input: process.stdin })) {
        const { id, method, params } = JSON.parse(line)
        if (method === 'initialize') tell({ id, result: { protocolVersion: params.protocolVersion, ...about } })
        if (method === 'tools/list') tell({ id, result: { tools } })
        if (method === 'tools/call') { call = id; tell({ id: 'theirs', method: 'roots/list' }) }
        if (id === 'theirs' && method === undefined) tell({ id: call, result: { content: [] } })
      }`)
    const report = await runCheck(asking, { revisions: ['2025-11-25'], only: ['call-answered'], timeoutMs: 10_000 })
    expect(report.results).toMatchObject([{ outcome: 'enforced' }])
  })

  it('gets no further requests after the check was stopped', async () => {
    const stop = new AbortController()
    await using server = await faulty({
      before: async ({ body }) => {
        if (!body.includes('"ping"')) return
        stop.abort()
        await new Promise(() => {})
      },
    })
    const { results } = await runCheck(
      { url: server.url },
      { revisions: ['2025-11-25'], only: ['base-ping'], timeoutMs: 30_000, signal: stop.signal },
    )
    expect(results.find(({ id }) => id === 'base-ping')).toMatchObject({ outcome: 'not-tried', detail: 'The check was stopped' })
  })
})
