// Sessions after the connection broke or the server lost them.
import { setTimeout as sleep } from 'node:timers/promises'
import { server, tool } from 'toolwire'
import { connect, memoryRevisions } from 'toolwire/client'
import { listen } from 'toolwire/node'
import { describe, expect, it } from 'vitest'
import { freePort } from '../../free-port.js'
import { expectAfter } from '../../soak.js'
import { fixture } from '../fixture.js'
import { served } from '../legs.js'
import { textOf } from './answers.js'
import { tap } from './tap.js'

describe('A session', () => {
  it('SHTTP-025 resumes a stream that the server has broken off', async () => {
    await using listening = await served()
    const wire = tap()
    await using client = await connect(listening.url, { revision: '2025-11-25', verdicts: memoryRevisions(), fetch: wire.fetch })
    expect(textOf((await client.call('interrupted')).content)).toBe('after the break')
    expect(wire.sent.filter((line) => line === 'POST tools/call')).toHaveLength(1)
    expect(wire.sent).toContain('GET from there')
  })

  it('SHTTP-015 resumes such a stream after the requested retry time, and not earlier', async () => {
    // Without an event, because a server may end a stream before its first event.
    const hangsUp = tool({
      description: 'Hangs up and goes on',
      run: async (_, ctx) => {
        ctx.hangUp(1_500)
        await sleep(20)
        return 'after the break'
      },
    })
    const app = server({ name: 'fixture', version: '1.0.0', tools: { hangsUp } })
    const times: number[] = []
    const wire = tap((request) => {
      times.push(performance.now())
      return fetch(request)
    })
    const listening = await listen(app, { port: 0, signals: false })
    await using client = await connect(listening.url, { revision: '2025-11-25', verdicts: memoryRevisions(), fetch: wire.fetch })
    expect(textOf((await client.call('hangsUp')).content)).toBe('after the break')
    const back = wire.sent.indexOf('GET from there')
    expectAfter((times[back] ?? 0) - (times[back - 1] ?? 0), 1_500)
    await listening.close()
  })

  it('SHTTP-034 is replaced once if the server has lost it', async () => {
    const port = await freePort()
    const serve = () => listen(fixture(), { port, signals: false })
    const before = await serve()
    const wire = tap()
    await using client = await connect(before.url, { revision: '2025-11-25', verdicts: memoryRevisions(), fetch: wire.fetch })
    await client.listTools()
    await before.close()
    const after = await serve()
    expect((await client.listTools({ fresh: true })).map(({ name }) => name)).toContain('echo')
    expect(textOf((await client.call('echo', { text: 'again' })).content)).toBe('again')
    expect(wire.sent.filter((line) => line === 'POST initialize')).toHaveLength(2)
    await client.close()
    expect(wire.sent.at(-1)).toBe('DELETE')
    await after.close()
  })
})
