import { setTimeout as sleep } from 'node:timers/promises'
import { describe, expect, it } from 'vitest'
import { expectWithin } from '../../toolwire/test/soak.js'
import { runCheck } from '../src/index.js'
import { script } from './server-programs.js'

/** A server whose list of tools never ends, and whose pages take a second each. */
const endless = script(`
  import { createInterface } from 'node:readline'
  const about = { protocolVersion: '2025-11-25', capabilities: { tools: {} }, serverInfo: { name: 'x', version: '1' } }
  for await (const line of createInterface({ input: process.stdin })) {
    const { id, method } = JSON.parse(line)
    const result = method === 'initialize' ? about : { tools: [], nextCursor: 'again' }
    const text = JSON.stringify({ jsonrpc: '2.0', id, result }) + '\\n'
    if (id !== undefined) setTimeout(() => process.stdout.write(text), method === 'initialize' ? 0 : 1_000)
  }`)
const mute = script('process.stdin.resume()')
const options = { revisions: ['2025-11-25'], timeoutMs: 60_000, startMs: 60_000 }

describe('Connecting', () => {
  it.each([
    ['a program that writes nothing', mute],
    ['an endless list of tools', endless],
  ])('ends at the timeout of the whole check: %s', async (_, target) => {
    const started = Date.now()
    const report = await runCheck(target, { ...options, totalMs: 1_500 })
    expectWithin(Date.now() - started, 10_000)
    expect(report).toMatchObject({ connected: false, trouble: 'The timeout of the whole check (--total) was reached' })
  })

  it('can be stopped', async () => {
    const stop = new AbortController()
    const started = Date.now()
    const checked = runCheck(mute, { ...options, signal: stop.signal })
    await sleep(500)
    stop.abort()
    expect(await checked).toMatchObject({ connected: false, trouble: 'The check was stopped', results: [] })
    expectWithin(Date.now() - started, 10_000)
  })

  it('does not begin if the check was stopped before', async () => {
    const report = await runCheck({ command: 'no-program-has-this-name' }, { signal: AbortSignal.abort() })
    expect(report).toMatchObject({ connected: false, trouble: 'The check was stopped' })
  })
})

describe('A check', () => {
  /** Opens slowly, and answers a call more slowly the first time. */
  const slow = script(`
  import { createInterface } from 'node:readline'
  const about = { protocolVersion: '2025-11-25', capabilities: { tools: {} }, serverInfo: { name: 'x', version: '1' } }
  const inputSchema = { type: 'object' }
  const results = { initialize: about, 'tools/list': { tools: [{ name: 'slow', inputSchema }] }, 'tools/call': { content: [] } }
  const delays = { initialize: [2_500], 'tools/call': [900, 100] }
  for await (const line of createInterface({ input: process.stdin })) {
    const { id, method } = JSON.parse(line)
    const text = JSON.stringify({ jsonrpc: '2.0', id, result: results[method] ?? {} }) + '\\n'
    if (id !== undefined) setTimeout(() => process.stdout.write(text), delays[method]?.shift() ?? 0)
  }`)

  it('is not late because a shared session opens slowly', async () => {
    const report = await runCheck(slow, { revisions: ['2025-11-25'], only: ['call-'], timeoutMs: 300, startMs: 60_000 })
    expect(report.results.length).toBeGreaterThan(3)
    expect(report.results.filter(({ detail }) => detail.includes('did not complete'))).toEqual([])
  })

  it('of cancellation says nothing about a call that ended before it was cancelled', async () => {
    const options = { revisions: ['2025-11-25'], only: ['cancel-honoured'], slow: { name: 'slow', args: {} } }
    const { results } = await runCheck(slow, { ...options, startMs: 60_000 })
    expect(results).toMatchObject([{ outcome: 'not-tried', detail: 'slow ended the second time before it was cancelled' }])
  })
})
