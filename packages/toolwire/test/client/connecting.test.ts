// The first connection: how long it is waited for, and what its type says.

import { type AddressInfo, createServer } from 'node:net'
import { setImmediate } from 'node:timers/promises'
import { describe, expect, expectTypeOf, it, vi } from 'vitest'
import { z } from 'zod'
import { connect, verdictsHere } from '../../src/client/index.js'
import { Vigil } from '../../src/client/vigil.js'
import { server, tool } from '../../src/index.js'
import { LinkError } from '../../src/peer/link.js'
import { plainTool, scripted, silence, theatre, toolsPage } from './scripted.js'

const modern = '2026-07-28'
const old = '2025-11-25'

describe('connect', () => {
  it('ends when its signal says so, and leaves nothing open', async () => {
    const abort = new AbortController()
    const silent = createServer().listen(0, '127.0.0.1')
    await new Promise((resolve) => silent.once('listening', resolve))
    const ended = new Promise((resolve) =>
      silent.once('connection', (socket) => {
        socket.resume().once('close', resolve)
        abort.abort()
      }),
    )
    const { port } = silent.address() as AddressInfo
    const connecting = connect(`http://127.0.0.1:${port}/mcp`, { signal: abort.signal, verdicts: verdictsHere() })
    await expect(connecting).rejects.toMatchObject({ code: 'cancelled' })
    await ended
    silent.close()
  })

  it('gives a server that is silent over HTTP a minute in all', async () => {
    vi.useFakeTimers()
    try {
      const { way, stage } = theatre({ 'server/discover': silence, initialize: silence }, { revision: old, shape: 'posts' })
      const failed = connect(way, { verdicts: verdictsHere() }).catch((thrown: unknown) => thrown)
      await vi.advanceTimersByTimeAsync(59_000)
      await expect(Promise.race([failed, 'still waiting'])).resolves.toBe('still waiting')
      await vi.advanceTimersByTimeAsync(1_500)
      await expect(Promise.race([failed, 'still waiting'])).resolves.toMatchObject({ code: 'timed_out' })
      expect(stage.sent.map(({ method }) => method).slice(0, 2)).toEqual(['server/discover', 'initialize'])
    } finally {
      vi.useRealTimers()
    }
  })

  it('knows the tools of a server in this process by its type', async () => {
    const add = tool({
      description: 'Adds.',
      input: z.object({ a: z.number() }),
      output: z.object({ sum: z.number() }),
      run: ({ a }) => ({ sum: a + 1 }),
    })
    const app = server({ name: 'sums', version: '1.0.0', tools: { add } })
    await using client = await connect(app)
    expectTypeOf(client.tools.add).parameter(0).toEqualTypeOf<{ a: number }>()
    await expect(client.tools.add({ a: 1 })).resolves.toEqual({ sum: 2 })
  })
})

describe('the process', () => {
  const timers = () => process.getActiveResourcesInfo().filter((kind) => kind === 'Timeout').length

  it('lives as long as somebody waits for an answer, and no longer', async () => {
    const { client } = await scripted({ 'tools/list': toolsPage([plainTool('a')]), 'tools/call': silence }, { revision: modern })
    await client.listTools()
    await setImmediate()
    const idle = timers()
    const abort = new AbortController()
    const calls = [1, 2].map(() => client.call('a', {}, { signal: abort.signal }).catch((thrown: unknown) => thrown))
    await setImmediate()
    expect(timers()).toBe(idle + 1)
    abort.abort()
    await Promise.all(calls)
    expect(timers()).toBe(idle)
  })

  it('is kept by one timer, on and off', () => {
    const vigil = new Vigil()
    const before = timers()
    vigil.begin()
    vigil.begin()
    expect(timers()).toBe(before + 1)
    vigil.end()
    expect(timers()).toBe(before + 1)
    vigil.end()
    expect(timers()).toBe(before)
    vigil.begin()
    expect(timers()).toBe(before + 1)
    vigil.end()
  })
})

describe('a request of a method that we do not know', () => {
  const broken = () => new LinkError('broken', 'cut', { sent: true })

  it('is not sent again when the connection breaks, and one that only reads is', async () => {
    let breaks = true
    const once = () => {
      if (!breaks) return { resources: [] }
      breaks = false
      return broken()
    }
    const { client, stage } = await scripted(
      { 'vendor/pay': broken, 'resources/list': once },
      { revision: old, capabilities: { resources: {} }, lenient: true },
    )
    await expect(client.request('vendor/pay')).rejects.toMatchObject({ code: 'outcome_unknown' })
    expect(stage.heard('vendor/pay')).toHaveLength(1)
    await expect(client.request('resources/list')).resolves.toEqual({ resources: [] })
    expect(stage.heard('resources/list')).toHaveLength(2)
  })
})
