import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import type { JsonObject } from 'toolwire'
import { describe, expect, it } from 'vitest'
import { expectWithin } from '../../toolwire/test/soak.js'
import { type CheckTarget, runCheck } from '../src/index.js'
import { messageIn } from './faulty.js'
import { answering, ours, script } from './server-programs.js'

/** Requests have a short timeout. The whole check has a long one, because a busy machine starts the server slowly. */
const quick = { revisions: ['2025-11-25'], timeoutMs: 300, startMs: 30_000, totalMs: 60_000 }
const initialized = `JSON.stringify({ jsonrpc: '2.0', id: r.id, result: { protocolVersion: '2025-11-25', capabilities: { tools: {} }, serverInfo: { name: 'x', version: '1' } } })`

const nobody: [string, CheckTarget][] = [
  ['a port on which no server listens', { url: 'http://127.0.0.1:9/mcp' }],
  ['no URL at all', { url: 'http://' }],
  ['a program that does not exist', { command: 'no-program-has-this-name' }],
  ['a program that ends immediately', script('process.exit(3)')],
  ['a program that writes nothing', script('setInterval(() => {}, 1000)')],
  ['a program that writes no messages', script('setInterval(() => console.log("hello"), 1)')],
  [
    'a program that writes endlessly',
    script('const x = "x".repeat(1e6); const more = () => process.stdout.write(x, more); more()'),
  ],
]

describe('A target that is not a server', () => {
  it.each(nobody)('leads to a report: %s', async (_, target) => {
    const report = await runCheck(target, { ...quick, startMs: 1_000, totalMs: 2_000 })
    expect(report.connected).toBe(false)
    expect(report.trouble).toBeTruthy()
    expect(report.results).toEqual([])
  })
})

describe('A hostile server', () => {
  it('that opens and then stays silent fails checks, in time', async () => {
    const started = Date.now()
    const report = await runCheck(answering(`(r) => (r.method === 'initialize' ? ${initialized} : undefined)`), quick)
    expectWithin(Date.now() - started, 35_000)
    expect(report.results.find(({ id }) => id === 'base-id-echoed')?.outcome).toBe('missing')
    expect(report.results.at(-1)?.detail).not.toBe('')
  })

  it('that dies at each request does not count as one that refuses requests', async () => {
    const report = await runCheck(
      answering(`(r) => (r.method === 'initialize' ? ${initialized} : r.id === undefined ? undefined : process.exit(1))`),
      {
        ...quick,
        only: ['base-id-echoed', 'base-jsonrpc', 'strain-depth'],
      },
    )
    expect(report.results.map(({ outcome }) => outcome)).not.toContain('not-tried')
    expect(report.results[0]).toMatchObject({ id: 'base-id-echoed', outcome: 'missing' })
  })

  it('cannot write hidden characters into the report', async () => {
    const errorReply = `JSON.stringify({ jsonrpc: '2.0', id: r.id, error: { code: 1, message: '\\u001b[2J\\u202e\\u200b' } })`
    const report = await runCheck(
      answering(`(r) => (r.method === 'initialize' ? ${initialized} : r.id === undefined ? undefined : ${errorReply})`),
      {
        ...quick,
        timeoutMs: 10_000,
        only: ['base-unknown-method'],
      },
    )
    const results = JSON.stringify(report.results)
    expect(results).toContain('u{202e}')
    expect(results).not.toMatch(/\u202e|\u200b|\u001b/)
  })

  it('that trickles its responses over HTTP is disconnected', async () => {
    const server = createServer((_, res) => {
      res.writeHead(200, { 'content-type': 'text/event-stream' })
      const timer = setInterval(() => res.write(': still here\n\n'), 20)
      res.on('close', () => clearInterval(timer))
    })
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
    const { port } = server.address() as AddressInfo // a TCP server has a port
    const report = await runCheck({ url: `http://127.0.0.1:${port}` }, quick)
    expect(report.connected).toBe(false)
    server.closeAllConnections()
    server.close()
  })

  it('that writes other text between its messages fails a check', async () => {
    const target = ours as { command: string; args: readonly string[] }
    const noisy = script(
      `console.log('starting …'); process.argv[1] = ${JSON.stringify(target.args[0])}; await import(${JSON.stringify(`file://${target.args[0]}`)})`,
    )
    const report = await runCheck(noisy, { revisions: ['2025-11-25'], timeoutMs: 10_000 })
    expect(report.results.flatMap(({ id, outcome }) => (outcome === 'missing' ? [id] : []))).toEqual(['stdio-only-messages'])
  })
})

/** An endpoint that answers each message with the text that `answer` returns, as events. */
async function endpoint(answer: (message: JsonObject) => string | undefined) {
  const server = createServer(async (req, res) => {
    const chunks: Buffer[] = []
    for await (const chunk of req) chunks.push(chunk)
    const text = answer(messageIn(Buffer.concat(chunks)))
    res.writeHead(text === undefined ? 202 : 200, { 'content-type': 'text/event-stream' }).end(text)
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const { port } = server.address() as AddressInfo // a TCP server has a port
  const close = async () => {
    server.closeAllConnections()
    server.close()
  }
  return { url: `http://127.0.0.1:${port}/`, [Symbol.asyncDispose]: close }
}

const eventOf = (message: JsonObject): string => `data: ${JSON.stringify({ jsonrpc: '2.0', ...message })}\n\n`

/** Opens a session, lists read-only tools, and answers all other requests with a result of this text. */
const listing = (tools: number, result: string, more: JsonObject = {}) =>
  endpoint(({ id, method }) => {
    if (id === undefined) return undefined
    const serverInfo = { name: 'x', version: '1' }
    const opening = { protocolVersion: '2025-11-25', capabilities: { tools: {} }, serverInfo }
    if (method === 'initialize') return eventOf({ id, result: opening })
    const one = { inputSchema: { type: 'object' }, annotations: { readOnlyHint: true } }
    const all = Array.from({ length: tools }, (_, at) => ({ name: `tool-${at}`, ...one }))
    if (method === 'tools/list') return eventOf({ id, result: { tools: all, ...more } })
    return `data: {"jsonrpc":"2.0","id":${JSON.stringify(id)},"result":${result}}\n\n`
  })

describe('The memory use of a check', () => {
  const options = { revisions: ['2025-11-25'], timeoutMs: 10_000 }

  it('has room for replies of up to 4 MiB', async () => {
    const tooLong = `{"content":[],"_meta":{"x":"${'x'.repeat(5 * 1024 * 1024)}"}}`
    await using server = await listing(1, tooLong)
    const report = await runCheck({ url: server.url }, { ...options, only: ['call-answered'] })
    expect(report.results).toMatchObject([{ id: 'call-answered', outcome: 'missing' }])
  })

  it('has room for few replies with very many values', async () => {
    const manyValues = `{"content":[],"_meta":{"x":[${'{},'.repeat(300_000)}{}]}}`
    await using server = await listing(10, manyValues)
    const report = await runCheck({ url: server.url }, { ...options, only: ['call-answered'] })
    expect(report.results).toMatchObject([{ outcome: 'not-tried', detail: expect.stringContaining('can hold') }])
  })

  it('is released after each check', async () => {
    await using server = await listing(0, '{}', { x: 'x'.repeat(4 * 1024 * 1024 - 4_096) })
    const report = await runCheck({ url: server.url }, { ...options, only: ['base-', 'open-', 'cancel-'] })
    expect(report.results.find(({ id }) => id === 'open-twice')).toMatchObject({ detail: 'The session goes on' })
  })

  it('does not grow with responses to requests of the server', async () => {
    let answers = 0
    await using server = await endpoint(({ id, method }) => {
      if (method === undefined) answers++
      if (id === undefined || method === undefined) return undefined
      const opening = { protocolVersion: '2025-11-25', capabilities: {}, serverInfo: { name: 'x', version: '1' } }
      if (method === 'initialize') return eventOf({ id, result: opening })
      const requests = Array.from({ length: 500 }, (_, at) => eventOf({ id: `mine-${at}`, method: 'roots/list' }))
      return `${requests.join('')}${eventOf({ id, result: {} })}`
    })
    await runCheck({ url: server.url }, { ...options, only: ['base-ping'] })
    expect(answers).toBeGreaterThan(0)
    // Each lane of checks has its own connection.
    expect(answers).toBeLessThanOrEqual(200)
  })

  it('ends a program that writes without pause', async () => {
    const target = answering(`(r) => {
      if (r.method === 'initialize') return ${initialized}
      if (r.id === undefined) return undefined
      if (r.method !== 'ping') return JSON.stringify({ jsonrpc: '2.0', id: r.id, result: { tools: [] } })
      return Array.from({ length: 1_200 }, () => '[' + '{},'.repeat(1_000) + '{}]').join('\\n')
    }`)
    const report = await runCheck(target, { ...quick, timeoutMs: 60_000, only: ['base-ping-before'] })
    expect(report.results).toMatchObject([{ outcome: 'not-tried', detail: expect.stringContaining('can hold') }])
  })
})

describe('The set of callable tools', () => {
  const calls = `(() => { let calls = 0; return (r) => {
    if (r.id === undefined) return undefined
    if (r.method === 'initialize') return ${initialized}
    const tools = [{ name: 'wipe', inputSchema: { type: 'object' } }, { name: 'read', inputSchema: { type: 'object' }, annotations: { readOnlyHint: true } }]
    const result = r.method === 'tools/list' ? { tools } : { content: [{ type: 'text', text: r.params?.name === 'wipe' ? 'wiped ' + ++calls : 'read' }] }
    return JSON.stringify({ jsonrpc: '2.0', id: r.id, result })
  } })()`
  const only = ['call-answered', 'arguments', 'result']

  it.each([
    ['only tools that claim to be read-only, by default', {}, false],
    ['the named tools', { tools: { wipe: {} } }, true],
    ['every tool, with `allowCalls`', { allowCalls: true }, true],
  ])('is %s', async (_, options, wiped) => {
    const report = await runCheck(answering(calls), { revisions: ['2025-11-25'], timeoutMs: 10_000, only, ...options })
    const answered = report.results.find(({ id }) => id === 'call-answered')
    expect(answered?.detail).toBe(wiped ? '2 tools called' : '1 tools called')
  })
})
