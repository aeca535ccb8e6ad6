// The limits in the guide match the behavior with the default config, for every kind of caller.
import { PassThrough } from 'node:stream'
import { jsonSchema, server, tool } from 'toolwire'
import type { ConnectOptions } from 'toolwire/client'
import { harness } from 'toolwire/testing'
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import { issuer } from '../../../toolwire/test/auth/issuer.js'
import { soaking } from '../../../toolwire/test/soak.js'
import { defaultGuard, type GatewayConfig } from '../../src/config/gateway-config.js'
import { ask, client, http, type Started, started, until, upstreamConfig, words } from '../support/running-gateway.js'
import { listening } from '../support/upstream-fixture.js'

// Time stands still, so that no allowance is refilled.
beforeEach(() => void vi.useFakeTimers({ toFake: ['performance'] }))
afterEach(() => void vi.useRealTimers())

/** The text of each outcome. */
type Asks = { call(tool: string, args?: object): Promise<string>; list(): Promise<string> }
type Kind = readonly [name: string, open: (gateway: Started, stdio: Pipe) => Promise<Asks>]
type Pipe = { readonly readable: PassThrough; readonly writable: PassThrough }

const overHttp = async (url: string, options: ConnectOptions): Promise<Asks> => {
  const one = await client(url, options)
  return {
    call: (name, args = {}) => one.call(name, { ...args }).then(words, String),
    list: () => one.request('tools/list', {}).then(() => 'listed', String),
  }
}

const keyed = async (gateway: Started, caller: string): Promise<Asks> => {
  const { body } = await ask(gateway, '/keys', { body: { caller, scopes: [] } })
  return overHttp(gateway.url, { headers: { authorization: `Bearer ${body.key}` }, revision: '2026-07-28' })
}

const modern = {
  'io.modelcontextprotocol/protocolVersion': '2026-07-28',
  'io.modelcontextprotocol/clientInfo': { name: 'host', version: '1' },
  'io.modelcontextprotocol/clientCapabilities': {},
}

async function overPipe(_: Started, { readable, writable }: Pipe): Promise<Asks> {
  type Answer = { id: number; result?: { content?: [{ type: string }] }; error?: { message: string } }
  const open = new Map<number, (answer: Answer) => void>()
  let text = ''
  writable.on('data', (chunk: Buffer) => {
    const lines = `${text}${chunk}`.split('\n')
    text = lines.pop() ?? ''
    for (const line of lines) open.get(JSON.parse(line).id)?.(JSON.parse(line))
  })
  let last = 0
  const request = async (method: string, params: object) => {
    const id = ++last
    const answer = new Promise<Answer>((resolve) => open.set(id, resolve))
    readable.write(`${JSON.stringify({ jsonrpc: '2.0', id, method, params: { ...params, _meta: modern } })}\n`)
    const { result, error } = await answer
    return error ? error.message : result?.content ? words({ content: result.content }) : 'listed'
  }
  return {
    call: (name, args = {}) => request('tools/call', { name, arguments: args }),
    list: () => request('tools/list', {}),
  }
}

const local = (revision: string): Kind => [
  `a program on this machine that shows nothing, at ${revision}`,
  ({ url }) => overHttp(url, { revision }),
]
const kinds: readonly Kind[] = [
  local('2025-11-25'),
  local('2026-07-28'),
  ['the host on the pipe', overPipe],
  ['the holder of a key', (gateway) => keyed(gateway, 'nightly')],
  ['the holder of a token', async ({ url }) => overHttp(url, { headers: { authorization: `Bearer ${await token()}` } })],
]

let token: () => Promise<string>

/** Several identical servers, whose calls can be held until the test ends. */
async function startGateway(more: Partial<GatewayConfig> = {}, ids: readonly string[] = ['a', 'b']) {
  let running = 0
  let most = 0
  const tools = {
    quick: tool({ description: 'Is done at once', hints: { readOnly: true }, run: () => 'done' }),
    hold: tool({
      description: 'Takes long',
      hints: { readOnly: true },
      input: jsonSchema<object>({ type: 'object' }),
      run: (_, { signal }) => {
        most = Math.max(most, ++running)
        return new Promise<string>((resolve) => signal.addEventListener('abort', () => resolve(`${--running}`)))
      },
    }),
  }
  // Limits of the servers themselves are switched off.
  const app = server({ name: 'up', version: '1', tools, guard: { rateLimit: false }, limits: { inFlight: 5_000, lists: false } })
  const { url } = await listening(app)
  const authority = await issuer()
  const resource = 'https://gateway.example/mcp'
  token = () => authority.token(resource)
  const stdio = { readable: new PassThrough(), writable: new PassThrough() }
  const gateway = await started(
    {
      upstreams: ids.map((id) => upstreamConfig(id, http(url), { trusted: true })),
      guard: { ...defaultGuard, approvals: false, lists: { calls: 30, per: 'minute' } },
      callers: { loopback: true, apiKeys: false, oauth: { issuer: authority.url, url: resource, jwks: authority.jwks } },
      ...more,
    },
    { stdio },
  )
  return { gateway, stdio, most: () => most }
}
const seven = ['a', 'b', 'c', 'd', 'e', 'f', 'g']

const times = <T>(count: number, act: (at: number) => T): T[] => Array.from({ length: count }, (_, at) => act(at))
const tooOften = (answers: readonly string[]) => answers.filter((one) => one.includes('too often'))

/** The suite uses the defaults over stdio, the cheapest transport, and smaller limits over HTTP. The soak uses the defaults everywhere. */
const small = { inFlight: 100, inFlightEach: 8, queue: 8 }
const guardFor = (open?: Kind[1]) => ({
  ...defaultGuard,
  approvals: false,
  ...(!soaking && open !== overPipe && small),
})

/** Every kind of caller proves some of the four limits in the suite, and all of them in the soak. */
const isTried = (kind: string, turn: 'even' | 'odd'): boolean =>
  soaking || kinds.findIndex(([name]) => name === kind) % 2 === (turn === 'even' ? 0 : 1)
/** Skips the test in the suite if another kind of caller proves the same. */
const triedIn = (kind: string, turn: 'even' | 'odd') => (isTried(kind, turn) ? it : () => undefined)

describe.each(kinds)('%s', (kind, open) => {
  triedIn(kind, 'even')('SECS-003 may call a tool 20 times at once, and each other tool as often', async () => {
    const { gateway, stdio } = await startGateway()
    const one = await open(gateway, stdio)
    const answers = await Promise.all(times(30, () => one.call('a__quick')))
    expect(answers.filter((text) => text === 'done')).toHaveLength(20)
    expect(tooOften(answers)).toHaveLength(10)
    expect(tooOften(answers)[0]).toContain('more than 60 times a minute')
    expect(await one.call('b__quick')).toBe('done')
  })

  triedIn(kind, 'odd')('SECS-003 may call it 60 times a minute, one after the other', async () => {
    const { gateway, stdio } = await startGateway()
    const one = await open(gateway, stdio)
    await Promise.all(times(20, () => one.call('a__quick')))
    const answers: string[] = []
    for (let second = 0; second < 3; second++) {
      vi.advanceTimersByTime(1_000)
      answers.push(await one.call('a__quick'), await one.call('a__quick'))
    }
    expect(answers.map((text) => text === 'done')).toEqual([true, false, true, false, true, false])
  })

  triedIn(kind, 'odd')('may ask for a list 30 times a minute', async () => {
    const { gateway, stdio } = await startGateway()
    const one = await open(gateway, stdio)
    // The client may have listed the tools once before.
    const answers = await Promise.all(times(45, () => one.list()))
    expect([30, 29]).toContain(answers.filter((text) => text === 'listed').length)
    expect(tooOften(answers)[0]).toContain('tools/list has been called too often (more than 30 times a minute)')
  })

  triedIn(kind, 'even')('does 64 things at once, while others go on; 256 wait and one more is sent away', async () => {
    const guard = guardFor(open)
    const { inFlightEach, queue } = guard
    const { gateway, stdio } = await startGateway({ guard }, seven)
    // One HTTP client does not send so many calls at once, so there are six clients. Stdio has one connection.
    const clients = open === overPipe ? 1 : Math.ceil((inFlightEach + queue) / 60)
    const ones = await Promise.all(times(clients, () => open(gateway, stdio)))
    const ended: string[] = []
    times(inFlightEach + queue + 1, (at) => {
      void ones[at % ones.length]?.call(`${seven[at % seven.length]}__hold`).then((answer) => ended.push(answer))
    })
    await until(() => ended.length === 1)
    expect(ended[0]).toContain(`Too many requests at once: ${queue} wait already`)
    expect(gateway.control.underWay()).toBe(inFlightEach)
    const other = await keyed(gateway, 'somebody else')
    expect(await other.call('a__quick')).toBe('done')
    expect([gateway.control.underWay(), ended.length]).toEqual([inFlightEach, 1])
  })
})

it('has the limits of the guide by default', () => {
  expect(defaultGuard).toMatchObject({ inFlight: 2_000, inFlightEach: 64, inFlightUpstream: 32, queue: 256 })
})

describe('local programs without credentials', () => {
  it('SECS-003 are one caller, over any transport and any number of sessions', async () => {
    const { gateway, stdio } = await startGateway()
    const [first, second, third] = await Promise.all([
      overHttp(gateway.url, { revision: '2025-11-25' }),
      overHttp(gateway.url, { revision: '2025-11-25' }),
      overPipe(gateway, stdio),
    ])
    const tried = () => ask(gateway, '/tools/a__quick/call', { body: {} }).then(({ body }) => JSON.stringify(body))
    const ways = [() => first.call('a__quick'), () => second.call('a__quick'), () => third.call('a__quick')]
    for (const one of [...ways, ways[0]])
      expect((await Promise.all(times(5, one ?? tried))).filter((text) => text.includes('done'))).toHaveLength(5)
    for (const one of ways) expect(await one()).toContain('too often')
    // The operator has authenticated, and counts separately.
    expect(await tried()).toContain('done')
  })

  it('leave room for a caller with a key, who counts separately', async () => {
    const { gateway } = await startGateway()
    const [one, other] = [await overHttp(gateway.url, {}), await keyed(gateway, 'nightly')]
    await Promise.all(times(25, () => one.call('a__quick')))
    expect(await other.call('a__quick')).toBe('done')
  })
})

describe('a remote request without credentials', () => {
  it('is refused before it is counted', async () => {
    const { gateway } = await startGateway()
    const headers = { 'x-forwarded-for': '203.0.113.9' }
    for (const { status } of await Promise.all(times(25, () => fetch(gateway.url, { method: 'POST', headers, body: '{}' }))))
      expect(status).toBe(401)
    expect(await (await overHttp(gateway.url, {})).call('a__quick')).toBe('done')
  })
})

describe('all callers together', () => {
  /** The outcome of a call, also if the shutdown of the gateway aborts it. */
  const inMemory = (gateway: Started, count: number) =>
    Promise.all(
      times(count, async (at) => {
        const one = await harness(gateway.server, { caller: { id: `caller ${at}`, scopes: ['*'] } })
        return (name: string) => one.call(name).then(words, String)
      }),
    )

  it('have 32 calls at one server at once, and a queue of 256', async () => {
    // The rate limits would refuse so many calls of so few callers within a minute.
    const { gateway, most } = await startGateway({ guard: { ...defaultGuard, approvals: false, rate: false } })
    const callers = await inMemory(gateway, 5)
    const ended: string[] = []
    for (const call of callers)
      for (const pending of times(58, () => call('a__hold'))) void pending.then((answer) => ended.push(answer))
    await until(() => ended.length === 2 && most() === 32)
    for (const answer of ended) expect(answer).toContain('Too many requests at once: 256 wait already')
    expect(await callers[0]?.('b__quick')).toBe('done')
    expect([most(), ended.length]).toEqual([32, 2])
  })

  it('have 2,000 requests at once, and the next one waits', async () => {
    const guard = { ...guardFor(), inFlightEach: defaultGuard.inFlightEach }
    const { inFlight } = guard
    const { gateway } = await startGateway({ guard }, seven)
    const busy = Math.ceil(inFlight / 63)
    const callers = await inMemory(gateway, busy + 1)
    const ended: string[] = []
    const begin = (at: number, tool: string) => void callers[at]?.(tool).then((answer) => ended.push(answer))
    times(inFlight, (at) => begin(at % busy, `${seven[Math.floor(at / busy) % seven.length]}__hold`))
    await until(() => gateway.control.underWay() === inFlight)
    begin(busy, 'a__quick')
    expect((await ask(gateway, '/status')).status).toBe(200)
    expect([gateway.control.underWay(), ended]).toEqual([inFlight, []])
  })
})
