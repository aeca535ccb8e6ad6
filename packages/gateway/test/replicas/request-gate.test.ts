// Requests between replicas: the sender needs the key, and each request is accepted once.
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { describe, expect, it, onTestFinished } from 'vitest'
import { howMany } from '../../../toolwire/test/soak.js'
import { replicaPath } from '../../src/http/replicas/replica-list.js'
import { digestOf, newNonce, openClock, sealRequest } from '../../src/http/replicas/replica-seal.js'
import { requestGate } from '../../src/http/replicas/request-gate.js'
import { deriveKey } from '../../src/store/secrets/seal.js'
import { type ReplicaGateways, replicaGateways } from '../support/replica-gateways.js'
import { upstreamConfig } from '../support/running-gateway.js'
import { askingServer, client, words } from '../support/upstream-fixture.js'

const key = Buffer.alloc(32, 1)
const envelope = { method: 'POST', path: replicaPath, to: 'b' }

/** A gate, and the values that a sender needs. */
function gateAt(start = 1_000_000) {
  let now = start
  const gate = requestGate(key, () => now)
  const nonce = newNonce()
  const asked = gate.judge(
    envelope,
    sealRequest(key, envelope, { from: 'a', start: 'unknown', now: 0, nonce, digest: digestOf(Buffer.of()) }),
  )
  const clock = typeof asked === 'object' && 'clock' in asked ? openClock(key, asked.clock, nonce) : undefined
  if (!clock) throw new Error('The gate does not tell its clock')
  return {
    gate,
    clock,
    pass: (ms: number) => {
      now += ms
    },
  }
}

type Gate = ReturnType<typeof gateAt>
const sealed = ({ clock }: Gate, given: Partial<Parameters<typeof sealRequest>[2]> = {}, by: Uint8Array = key, at = envelope) =>
  sealRequest(by, at, { from: 'a', ...clock, nonce: newNonce(), digest: digestOf(Buffer.from('body')), ...given })

describe('a request between replicas', () => {
  it('is accepted once', () => {
    const setup = gateAt()
    const header = sealed(setup)
    expect(setup.gate.judge(envelope, header)).toEqual({ admitted: digestOf(Buffer.from('body')) })
    expect(setup.gate.judge(envelope, header)).toBe('refused')
    setup.pass(9_000)
    expect(setup.gate.judge(envelope, header)).toBe('refused')
  })

  it('is not accepted again after it was forgotten: the reply is only the clock', () => {
    const setup = gateAt()
    const header = sealed(setup)
    setup.gate.judge(envelope, header)
    for (const ms of [10_001, 10_000, 10_000, 86_400_000]) {
      setup.pass(ms)
      // Enough requests to displace the first one from the gate's memory.
      setup.gate.judge(envelope, sealed(setup, { now: setup.clock.now }))
      expect(setup.gate.judge(envelope, header)).toEqual({ clock: expect.any(String) })
    }
  })

  it('is valid for one start of one replica, one path and one key', () => {
    const setup = gateAt()
    const others = [
      sealed(setup, {}, Buffer.alloc(32, 2)),
      sealed(setup, {}, key, { ...envelope, to: 'c' }),
      sealed(setup, {}, key, { ...envelope, method: 'GET' }),
      sealed(setup, {}, key, { ...envelope, path: '/mcp' }),
    ]
    for (const header of [...others, undefined, '', 'v1']) expect(setup.gate.judge(envelope, header)).toBe('refused')
    const another = gateAt()
    expect(setup.gate.judge(envelope, sealed(another))).toEqual({ clock: expect.any(String) })
  })

  it('is refused after any change of its header', () => {
    const setup = gateAt()
    const header = sealed(setup)
    let seed = 1
    const random = (below: number) => {
      seed = (seed * 48_271) % 2_147_483_647
      return seed % below
    }
    const letters = 'abcABC019-_.'
    const changes = [
      (text: string, at: number) => text.slice(0, at) + text.slice(at + 1),
      (text: string, at: number) => text.slice(0, at) + letters[random(letters.length)] + text.slice(at),
      (text: string, at: number) => text.slice(0, at) + letters[random(letters.length)] + text.slice(at + 1),
      (text: string, at: number) => text.slice(0, at),
      (text: string, at: number) => text.slice(at) + text.slice(0, at),
    ]
    for (let round = 0; round < howMany(5_000, 200_000); round++) {
      const changed = changes[random(changes.length)]?.(header, random(header.length)) ?? ''
      if (changed !== header) expect(setup.gate.judge(envelope, changed), changed).toBe('refused')
    }
    expect(setup.gate.judge(envelope, header)).toMatchObject({ admitted: expect.any(String) })
  })

  it('makes its sender accept only the clock in its own answer', () => {
    const setup = gateAt()
    const [first, second] = [newNonce(), newNonce()]
    const judgement = setup.gate.judge(envelope, sealed(setup, { start: 'other', nonce: first }))
    const clock = typeof judgement === 'object' && 'clock' in judgement ? judgement.clock : ''
    expect(openClock(key, clock, first)).toEqual(setup.clock)
    expect(openClock(key, clock, second)).toBeUndefined()
    expect(openClock(Buffer.alloc(32, 2), clock, first)).toBeUndefined()
    expect(openClock(key, `${clock}a`, first)).toBeUndefined()
  })
})

/** A proxy before a replica that records requests. */
async function recorder(to: string) {
  const requests: { header: string; body: Buffer }[] = []
  const server = createServer((req, res) => {
    const pieces: Buffer[] = []
    req.on('data', (piece: Buffer) => pieces.push(piece))
    req.on('end', async () => {
      const body = Buffer.concat(pieces)
      const header = req.headers['toolwire-replica']?.toString() ?? ''
      requests.push({ header, body })
      const answer = await fetch(`${to}${req.url}`, { method: 'POST', headers: { 'toolwire-replica': header }, body })
      res.writeHead(answer.status, Object.fromEntries(answer.headers))
      res.end(Buffer.from(await answer.arrayBuffer()))
    })
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  onTestFinished(() => void server.close())
  return { requests, address: `http://127.0.0.1:${(server.address() as AddressInfo).port}` } // it listens on TCP
}

/** Answers a question at that replica. */
function answerAt({ turnTo }: ReplicaGateways, index: number) {
  turnTo(index)
  return { action: 'accept' as const, content: { people: 4 } }
}

describe('the path for requests between replicas', () => {
  const send = async (to: string, { header, body, method = 'POST' }: { header?: string; body?: Uint8Array; method?: string }) => {
    const headers: Record<string, string> = header === undefined ? {} : { 'toolwire-replica': header }
    const answer = await fetch(`${to}${replicaPath}`, { method, headers, ...(body && { body: body as BodyInit }) })
    return { status: answer.status, text: await answer.text(), replicaHeader: answer.headers.get('toolwire-replica') }
  }

  it('accepts neither a replayed request nor a changed one', async () => {
    const { target, done } = await askingServer('2026-07-28', 'http')
    const fleet = await replicaGateways({ upstreams: [upstreamConfig('asking', target, { trusted: true })] }, { count: 2 })
    const [replica] = fleet.list
    if (!replica) throw new Error('There is no replica')
    const recorded = await recorder(replica.address)
    fleet.list[0] = { ...replica, address: recorded.address }
    const answers = { form: () => answerAt(fleet, 1) }
    const one = await client(fleet.url, { revision: '2026-07-28', answers })
    await one.listTools()
    fleet.turnTo(0)
    expect(words(await one.call('asking__book', { at: 'noon' }))).toBe('booked at noon for 4')
    expect(done).toEqual({ begun: 1, booked: 1 })
    const nothing = await (await fetch(`${replica.address}/internal/nothing`, { method: 'POST' })).text()
    expect(recorded.requests.length).toBeGreaterThan(1)
    for (const { header, body } of recorded.requests) {
      const other = Buffer.concat([body, Buffer.from(' ')])
      for (const again of [{ header, body }, { header, body: other }, { body }, { header, body, method: 'PUT' }]) {
        const answer = await send(replica.address, again)
        // The first request of a replica asks for the clock, and so does its replay.
        if (answer.status === 409) expect(body.length).toBe(0)
        else expect(answer).toEqual({ status: 404, text: nothing, replicaHeader: null })
      }
    }
    expect(done).toEqual({ begun: 1, booked: 1 })
  })

  it('accepts nothing from a gateway with another key, and no token of it', async () => {
    const { target, done } = await askingServer('2026-07-28', 'http')
    const key = (index: number) => Buffer.alloc(32, index).toString('base64')
    const fleet = await replicaGateways({ upstreams: [upstreamConfig('asking', target, { trusted: true })] }, { count: 2, key })
    const one = await client(fleet.url, { revision: '2026-07-28', answers: { form: () => answerAt(fleet, 1) } })
    await one.listTools()
    fleet.turnTo(0)
    await expect(one.call('asking__book', { at: 'noon' })).rejects.toThrow('requestState was not issued for this request')
    expect(done).toEqual({ begun: 1 })
  })

  it('accepts only the body that its header was made for', async () => {
    const { target } = await askingServer(undefined, 'http')
    const fleet = await replicaGateways({ upstreams: [upstreamConfig('asking', target)] }, { count: 2 })
    const [{ id, address } = { id: '', address: '' }] = fleet.list
    const shared = deriveKey(fleet.replicas[1]?.control.store.digestKey ?? Buffer.of(), 'toolwire replicas')
    const to = { ...envelope, to: id }
    const stamp = (given: { start: string; now: number }, body: Uint8Array, nonce = newNonce()) =>
      sealRequest(shared, to, { from: 'replica-1', ...given, nonce, digest: digestOf(body) })
    const nonce = newNonce()
    const { replicaHeader } = await send(address, { header: stamp({ start: 'unknown', now: 0 }, Buffer.of(), nonce) })
    const clock = openClock(shared, replicaHeader ?? '', nonce)
    if (!clock) throw new Error('The replica does not tell its clock')
    const ping = '{"jsonrpc":"2.0","id":1,"method":"ping"}'
    const head = {
      method: 'POST',
      url: '/mcp',
      headers: ['content-type', 'application/json', 'host', '127.0.0.1'],
      remote: '127.0.0.1',
    }
    const body = Buffer.from(`${JSON.stringify(head)}\n${ping}`)
    expect(await send(address, { header: stamp(clock, body), body })).toMatchObject({ replicaHeader: 'taken' })
    for (const at of [0, 20, body.length - 2]) {
      const other = Buffer.from(body)
      other[at] = (other[at] ?? 0) ^ 1
      expect(await send(address, { header: stamp(clock, body), body: other })).toMatchObject({ status: 404, replicaHeader: null })
    }
    // Bodies that a replica of another version might write.
    for (const strange of [
      '',
      '{}',
      '[]\n',
      'null\n{}',
      '{"method":1,"url":"/mcp","headers":[]}\n',
      '{"method":"GET","url":"//","headers":["a"]}\n',
    ]) {
      const bytes = Buffer.from(strange)
      const answer = await send(address, { header: stamp(clock, bytes), body: bytes })
      expect([400, 404]).toContain(answer.status)
    }
    expect((await fetch(`${address}/livez`)).status).toBe(200)
  })

  it('does not exist at a gateway without replicas', async () => {
    const { target } = await askingServer(undefined, 'http')
    const fleet = await replicaGateways({ upstreams: [upstreamConfig('asking', target)] }, { count: 1 })
    const [{ port } = { port: 0 }] = fleet.replicas
    expect((await send(`http://127.0.0.1:${port}`, {})).status).toBe(404)
  })
})
