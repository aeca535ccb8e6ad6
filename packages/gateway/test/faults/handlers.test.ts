// Faulty handlers: in a server made with the library, and among the callbacks of the gateway itself.
import { fork } from 'node:child_process'
import { fileURLToPath } from 'node:url'
import { afterAll, describe, expect, it } from 'vitest'
import { expectWithin } from '../../../toolwire/test/soak.js'
import type { Target } from '../../src/config/gateway-config.js'
import { built } from '../support/build-program.js'
import { child, client, http, started, upstreamConfig, words } from '../support/running-gateway.js'
import { type BadServerSetup, beside, good, open, startWithBadServer } from './start-with-bad-server.js'
import { eventually } from './waiting.js'

const program = async () => fileURLToPath(await built(new URL('./peers/library.mjs', import.meta.url)))
const ending: (() => void)[] = []
afterAll(() => {
  for (const end of ending) end()
})

async function faultyServer(carrier: 'stdio' | 'http'): Promise<Target> {
  if (carrier === 'stdio') return child(await program(), 'stdio')
  const process = fork(await program(), ['http'])
  ending.push(() => process.kill('SIGKILL'))
  return http(
    await new Promise<string>((resolve) => process.once('message', (message) => resolve((message as { url: string }).url))),
  )
}

const carriers = ['stdio', 'http'] as const

/** An error that reaches the caller as a result, or as -32603. */
const isReportedError = (outcome: unknown): boolean => {
  const { isError, code } = outcome as { isError?: boolean; code?: number }
  return isError === true || code === -32603
}

describe.each(carriers)('row 24: a handler in a server of the library, over %s', (carrier) => {
  const failing = ['throws_null', 'throws_undefined', 'throws_text', 'throws_error', 'rejects_null', 'never_settles']
  const unwritable = ['returns_bigint', 'returns_cycle', 'returns_deep']
  const harmless = ['returns_undefined', 'drops_rejection']

  it('fails only for its caller, and its server keeps running', async () => {
    const { caller, gateway, beside }: BadServerSetup = await startWithBadServer(await faultyServer(carrier))
    const pid = gateway.control.servers()[0]?.restarts
    const call = (name: string) => caller.call(`bad__${name}`).catch((thrown: unknown) => thrown)
    const outcomes = await beside(() => Promise.all([...failing, ...unwritable].map(call)))
    for (const [nth, outcome] of outcomes.entries()) expect([nth, isReportedError(outcome)]).toEqual([nth, true])
    expect(JSON.stringify(outcomes)).not.toMatch(/hunter2|\/srv|stack/)
    for (const name of harmless) expect(await call(name)).toMatchObject({ isError: false })
    expect(words(await caller.call('bad__echo'))).toBe('still here')
    expect(gateway.control.servers()[0]?.restarts).toBe(pid)
  })
})

describe('row 24: callbacks of the gateway', () => {
  it('that throw, for the log or for credentials, do not disturb other servers', async () => {
    const onLog = () => {
      throw null
    }
    const token = () => {
      throw new Error('no token today')
    }
    const authFor = ({ id }: { id: string }) => (id === 'bad' ? { token } : undefined)
    const gateway = await started(
      { guard: open, upstreams: [upstreamConfig('bad', http('http://127.0.0.1:9/mcp')), good()] },
      { onLog, authFor },
    )
    await beside(gateway.url, () => undefined)
    expect(gateway.health().upstreams).toMatchObject({ good: 'ready' })
  })
})

describe.each(carriers)('row 25: a handler that blocks its server for 5 s, over %s', (carrier) => {
  it('is named in the log, other servers keep answering, and waiting calls are answered afterwards', async () => {
    const { gateway, caller, beside } = await startWithBadServer(await faultyServer(carrier), { config: {} })
    const began = performance.now()
    const blocked = caller.call('bad__blocks', { ms: 5_000 })
    const waiting = caller.call('bad__echo')
    const other = await client(gateway.url)
    await beside(() => undefined)
    expectWithin(performance.now() - began, 5_000)
    expect(words(await other.call('good__sum', { a: 1, b: 1 }))).toBe('2')
    expect([words(await blocked), words(await waiting)]).toEqual(['blocked', 'still here'])
    if (carrier === 'stdio') await eventually(() => gateway.log.some((line) => /tool blocks: .* \d{4,} ms/.test(line)))
  })
})
