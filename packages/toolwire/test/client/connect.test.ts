// Timeouts and types of a connection.

import { type AddressInfo, createServer } from 'node:net'
import { describe, expect, expectTypeOf, it, vi } from 'vitest'
import { z } from 'zod'
import { connect, memoryRevisions } from '../../src/client/index.js'
import { server, tool } from '../../src/index.js'
import { TransportError } from '../../src/peer/client-transport.js'
import { passUntil } from './fake-time.js'
import { connectScripted, scriptedEndpoint, silence } from './scripted.js'

const old = '2025-11-25'

describe('connect', () => {
  it('is aborted by its signal, and leaves nothing open', async () => {
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
    const connecting = connect(`http://127.0.0.1:${port}/mcp`, { signal: abort.signal, verdicts: memoryRevisions() })
    await expect(connecting).rejects.toMatchObject({ code: 'cancelled' })
    await ended
    silent.close()
  })

  it('waits for a silent server over HTTP for a minute in all', async () => {
    vi.useFakeTimers()
    try {
      const { endpoint, server: scriptedServer } = scriptedEndpoint(
        { 'server/discover': silence, initialize: silence },
        { revision: old, shape: 'posts' },
      )
      const failed = connect(endpoint, { verdicts: memoryRevisions() }).catch((thrown: unknown) => thrown)
      let isOver = false
      void failed.then(() => (isOver = true))
      const passedMs = await passUntil(() => isOver, 500)
      expect([passedMs >= 60_000, passedMs < 75_000]).toEqual([true, true])
      expect(await failed).toMatchObject({ code: 'timed_out' })
      expect(scriptedServer.sent.map(({ method }) => method).slice(0, 2)).toEqual(['server/discover', 'initialize'])
    } finally {
      vi.useRealTimers()
    }
  })

  it('infers the tools of a server in the same process', async () => {
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

describe('a request of an unknown method', () => {
  const broken = () => new TransportError('broken', 'cut', { sent: true })

  it('is not retried when the connection breaks, unless it only reads', async () => {
    let breaks = true
    const once = () => {
      if (!breaks) return { resources: [] }
      breaks = false
      return broken()
    }
    const { client, server: scriptedServer } = await connectScripted(
      { 'vendor/pay': broken, 'resources/list': once },
      { revision: old, capabilities: { resources: {} }, lenient: true },
    )
    await expect(client.request('vendor/pay')).rejects.toMatchObject({ code: 'outcome_unknown' })
    expect(scriptedServer.received('vendor/pay')).toHaveLength(1)
    await expect(client.request('resources/list')).resolves.toEqual({ resources: [] })
    expect(scriptedServer.received('resources/list')).toHaveLength(2)
  })
})
