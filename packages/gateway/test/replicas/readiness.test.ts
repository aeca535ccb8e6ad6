// Health for a load balancer, and calls at a replica that shuts down.
import { describe, expect, it } from 'vitest'
import { replicaGateways } from '../support/replica-gateways.js'
import { started, upstreamConfig } from '../support/running-gateway.js'
import { asking as askingRevisions, askingServer, client, words } from '../support/upstream-fixture.js'

const look = async (port: number, path: string) => {
  const answer = await fetch(`http://127.0.0.1:${port}${path}`)
  return { status: answer.status, body: await answer.json(), connection: answer.headers.get('connection') }
}

describe('a gateway', () => {
  it('is alive and ready, and answers health checks without credentials', async () => {
    const { port } = await started()
    expect(await look(port, '/livez')).toMatchObject({ status: 200, body: { status: 'ok' } })
    expect(await look(port, '/readyz')).toMatchObject({ status: 200, body: { status: 'ok' } })
  })

  it('is not ready during a shutdown, but still answers requests', async () => {
    const { target } = await askingServer(undefined, 'http')
    const gateway = await started({ upstreams: [upstreamConfig('asking', target)] })
    const caller = await client(gateway.url)
    let isClosed = false
    const closed = gateway.close({ delayMs: 10_000 }).then(() => {
      isClosed = true
    })
    expect(await look(gateway.port, '/readyz')).toMatchObject({
      status: 503,
      body: { status: 'not ready', reason: 'The gateway is being stopped' },
      connection: 'close',
    })
    expect(await look(gateway.port, '/livez')).toMatchObject({ status: 200 })
    expect(await look(gateway.port, '/health')).toMatchObject({ status: 503, body: { status: 'draining' } })
    expect(words(await caller.call('asking__sum', { a: 1, b: 2 }))).toContain('3')
    expect(isClosed).toBe(false)
    await closed
    await expect(look(gateway.port, '/livez')).rejects.toThrow()
  })

  it('is not ready while its store cannot be written', async () => {
    const { port, control } = await started()
    Object.defineProperty(control.store, 'trouble', { get: () => new Error('The disk is full') })
    expect(await look(port, '/readyz')).toMatchObject({
      status: 503,
      body: { status: 'not ready', reason: 'The store cannot be used' },
    })
    expect((await look(port, '/livez')).status).toBe(200)
  })
})

describe.each(askingRevisions)('a replica that shuts down with a client of %s', (revision) => {
  it('completes its calls, and their answers arrive through the others', async () => {
    const { target, done } = await askingServer(revision, 'http')
    const fleet = await replicaGateways({ upstreams: [upstreamConfig('asking', target, { trusted: true })] })
    let closed: Promise<void> | undefined
    const form = async () => {
      closed ??= fleet.replicas[0]?.close({ delayMs: 0 })
      // The replica refuses new calls from now on.
      await expect.poll(() => fleet.replicas[0]?.health().status).toBe('draining')
      fleet.turnTo(1)
      return { action: 'accept' as const, content: { people: 2 } }
    }
    const one = await client(fleet.url, { revision, answers: { form } })
    await one.listTools()
    fleet.turnTo(0)
    expect(words(await one.call('asking__book', { at: 'one' }))).toBe('booked at one for 2')
    expect(done).toEqual({ begun: 1, booked: 1 })
    await closed
  })
})
