// Ambiguous requests are refused, instead of reduced to a valid part.
import { createServer, type RequestListener } from 'node:http'
import { type AddressInfo, connect } from 'node:net'
import fc from 'fast-check'
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from 'vitest'
import type { Arrival } from '../../src/auth/index.js'
import { server } from '../../src/index.js'
import { type Listening, listen, nodeHandler } from '../../src/node.js'
import type { App } from '../../src/server/app.js'
import { strictServer } from '../../src/transports/http/server/node/strict-server.js'
import { howMany } from '../soak.js'
import { call, fixture, modern, selfDescribing, until } from './fixture.js'

const app = server({ name: 'headers', version: '1.0.0' })

/** Sends bytes, and returns the status and the whole response. Only the server ends the connection. */
function send(
  port: number,
  head: readonly string[],
  body: Iterable<string | Buffer> = [],
): Promise<{ status: number; text: string }> {
  return new Promise((resolve) => {
    const socket = connect(port, '127.0.0.1')
    let text = ''
    socket.setEncoding('utf8')
    socket.on('data', (chunk: string) => {
      text += chunk
    })
    // If the server resets the connection, the data received before counts.
    socket.on('error', () => undefined)
    socket.on('end', () => socket.end())
    socket.on('close', () => resolve({ status: Number(/^HTTP\/1\.1 (\d+)/.exec(text)?.[1] ?? 0), text }))
    if (head.length > 0) socket.write(`${head.join('\r\n')}\r\n\r\n`)
    for (const piece of body) socket.write(piece)
  })
}

describe.each(['listen', 'nodeHandler'] as const)('%s', (mount) => {
  const seen: Arrival[] = []
  const authenticate = (arrival: Arrival) => {
    seen.push(arrival)
    return undefined
  }
  let port: number
  let close: () => Promise<void> | void
  beforeAll(async () => {
    if (mount === 'listen') {
      const listening: Listening = await listen(app, { authenticate, signals: false })
      port = listening.port
      close = () => listening.close()
    } else {
      const http = createServer(nodeHandler(app, { authenticate }))
      await new Promise<void>((resolve) => http.listen(0, '127.0.0.1', resolve))
      port = (http.address() as AddressInfo).port
      close = () => void http.close()
    }
  })
  afterAll(() => close())

  const request = (headers: readonly string[], host = `127.0.0.1:${port}`) => [
    'GET /mcp HTTP/1.1',
    `Host: ${host}`,
    'Connection: close',
    ...headers,
  ]

  it('more than 100 headers are refused, and none is ever dropped', async () => {
    await fc.assert(
      fc.asyncProperty(fc.integer({ min: 0, max: 1_400 }), fc.boolean(), async (count, first) => {
        seen.length = 0
        const fillers = Array.from({ length: count }, (_, index) => `a${index.toString(36)}:`)
        const forwarded = 'X-Forwarded-For: 203.0.113.9'
        const { status } = await send(port, request(first ? [forwarded, ...fillers] : [...fillers, forwarded]))
        if (count + 3 > 100) expect([status, seen.length]).toEqual([431, 0])
        else expect([status, seen[0]?.header('x-forwarded-for')]).toEqual([401, '203.0.113.9'])
      }),
      {
        numRuns: howMany(8, 40),
        examples: [
          [97, false],
          [98, false],
          [996, false],
          [1_000, false],
          [1_400, true],
        ],
      },
    )
  })

  it('a request without a Host header is refused, unless it is of HTTP/1.0', async () => {
    seen.length = 0
    const { status, text } = await send(port, ['GET /mcp HTTP/1.1', 'Accept: */*'])
    expect([status, seen.length]).toEqual([400, 0])
    // In front of nodeHandler, Node refuses it with an empty body.
    if (mount === 'listen') expect(text).toMatch(/exactly one Host header/)
    expect((await send(port, ['GET /mcp HTTP/1.0'])).text).not.toMatch(/exactly one Host header/)
  })

  it('two Host headers are refused', async () => {
    const { status, text } = await send(port, request(['hOsT: evil.example']))
    expect(status).toBe(400)
    expect(text).toMatch(/one Host header/)
  })

  it.each([
    'Authorization: Bearer',
    'Content-Type: application/json;',
  ])('a duplicate header is refused if Node would drop one of them (%s)', async (header) => {
    await fc.assert(
      fc.asyncProperty(
        fc.mixedCase(fc.constant(header)),
        fc.string({ unit: fc.constantFrom(...'abc') }),
        async (again, value) => {
          seen.length = 0
          const { status, text } = await send(port, request([header, `${again} ${value}`]))
          expect([status, seen.length]).toEqual([400, 0])
          expect(text).toMatch(/must not repeat/)
        },
      ),
      { numRuns: howMany(3, 30) },
    )
  })

  it.each([
    ['127.0.0.1', 0],
    ['localhost', 0],
    ['[::1]', 0],
    ['LOCALHOST', 0],
    ['127.0.0.1', 1],
    ['localhost', 1],
  ])('the Host %s means this machine only with our own port (offset %i)', async (name, off) => {
    const { status } = await send(port, request([], `${name}:${port + off}`))
    expect(status).toBe(off === 0 ? 401 : 403)
  })

  it.each([
    'cross-site',
    'same-site',
  ])('a page of another site without an Origin is refused by Sec-Fetch-Site: %s', async (site) => {
    expect((await send(port, request([`Sec-Fetch-Site: ${site}`]))).status).toBe(403)
    expect((await send(port, request(['Sec-Fetch-Site: none']))).status).toBe(401)
  })
})

describe('pipelined requests', () => {
  const ping = '{"jsonrpc":"2.0","id":1,"method":"ping"}'
  const kinds: readonly (readonly [string, string])[] = [
    ['GET /', ''],
    ['GET /mcp', ''],
    ['POST /mcp', ping],
  ]

  it.each(kinds)('are answered up to a limit, and then the connection is closed (%s)', async (line, body) => {
    const listening = await listen(app, { signals: false })
    const length = body === '' ? '' : `Content-Type: application/json\r\nContent-Length: ${body.length}\r\n`
    const answersTo = async (count: number) => {
      const one = (more: string) => `${line} HTTP/1.1\r\nHost: 127.0.0.1:${listening.port}\r\n${length}${more}\r\n${body}`
      const all = one('').repeat(count - 1) + one('Connection: close\r\n')
      const { text } = await send(listening.port, [], [all])
      return text.split('HTTP/1.1 ').length - 1
    }
    for (const count of [2, 20, 32]) expect(await answersTo(count)).toBe(count)
    expect(await answersTo(20_000)).toBeLessThan(20_000)
    await listening.close()
  })
})

describe.each([
  ['strictServer', (listener: RequestListener) => strictServer({}, listener)],
  ['any server of Node', (listener: RequestListener) => createServer(listener)],
] as const)('requests that wait behind another one on their connection (%s)', (_, serverOf) => {
  it('end with the connection, before their turn', async () => {
    const { app: asked, seen } = fixture()
    const closed: boolean[] = []
    const handle = nodeHandler(asked)
    const http = serverOf((req, res) => {
      handle(req, res)
      res.once('close', () => closed.push(res.destroyed))
    })
    await new Promise<void>((resolve) => http.listen(0, '127.0.0.1', resolve))
    onTestFinished(() => void http.close())
    const { port } = http.address() as AddressInfo
    const { subscriptions } = (asked['~application'] as App).changes
    const messages = [
      call(1, 'slow', { ms: 3_600_000 }),
      { jsonrpc: '2.0', id: 2, method: 'subscriptions/listen', params: { notifications: { toolsListChanged: true } } },
      call(3, 'slow', { ms: 3_600_000 }),
    ]
    const client = connect(port, '127.0.0.1').on('error', () => undefined)
    client.write(messages.map((message) => posted(port, selfDescribing(message))).join(''))
    await until(() => seen.begun === 2 && subscriptions.size === 1)
    expect(closed).toEqual([])
    client.destroy()
    await until(() => seen.cancelled === 2 && subscriptions.size === 0)
    await until(() => closed.length === 3)
    expect(closed).toEqual([true, true, true])
  })
})

/** A POST of this message with the headers that copy its values. */
function posted(port: number, message: { method: string; params: { name?: string; notifications?: object } }): string {
  const body = JSON.stringify(message)
  const head = {
    Host: `127.0.0.1:${port}`,
    Accept: 'application/json, text/event-stream',
    'Content-Type': 'application/json',
    'Content-Length': body.length,
    'Mcp-Protocol-Version': modern,
    'Mcp-Method': message.method,
    ...(message.params.name !== undefined && { 'Mcp-Name': message.params.name }),
  }
  const lines = Object.entries(head).map(([name, value]) => `${name}: ${value}\r\n`)
  return `POST /mcp HTTP/1.1\r\n${lines.join('')}\r\n${body}`
}

describe('a body beyond the limit', () => {
  it.each([
    ['says its length', true],
    ['comes in chunks', false],
  ])('gets a response that the sender can read while it is still sending (%s)', async (_, sized) => {
    const listening = await listen(app, { signals: false, limits: { bodyBytes: 1_024 } })
    const piece = Buffer.alloc(256 * 1024, 'x')
    const pieces = sized
      ? Array.from({ length: 40 }, () => piece)
      : [...Array.from({ length: 40 }, () => Buffer.concat([Buffer.from('40000\r\n'), piece, Buffer.from('\r\n')])), '0\r\n\r\n']
    const { status, text } = await send(
      listening.port,
      [
        'POST /mcp HTTP/1.1',
        `Host: 127.0.0.1:${listening.port}`,
        'Content-Type: application/json',
        'Accept: application/json, text/event-stream',
        sized ? `Content-Length: ${40 * piece.length}` : 'Transfer-Encoding: chunked',
      ],
      pieces,
    )
    expect(status).toBe(413)
    expect(text).toMatch(/larger than 1024 bytes/)
    await listening.close()
  })
})

it('a server without a limit for stalled clients serves its connections', async () => {
  const listening = await listen(app, { signals: false, limits: { stallMs: Number.POSITIVE_INFINITY } })
  onTestFinished(() => listening.close())
  const { status } = await send(listening.port, [
    'GET /nothing HTTP/1.1',
    `Host: 127.0.0.1:${listening.port}`,
    'Connection: close',
  ])
  expect(status).toBe(404)
})

it('a body of very many chunks is read in several turns, and completely', async () => {
  let inTurn = 0
  let most = 0
  const handle = nodeHandler(app)
  const http = createServer((req, res) => {
    req.on('data', () => {
      if (inTurn++ === 0) setImmediate(endTurn)
    })
    handle(req, res)
  })
  const endTurn = () => {
    most = Math.max(most, inTurn)
    inTurn = 0
  }
  await new Promise<void>((resolve) => http.listen(0, '127.0.0.1', resolve))
  const { port } = http.address() as AddressInfo
  const message = JSON.stringify({ jsonrpc: '2.0', id: 7, method: 'ping', params: { _meta: { note: 'x'.repeat(40_000) } } })
  const head = [
    'POST /mcp HTTP/1.1',
    `Host: 127.0.0.1:${port}`,
    'Connection: close',
    'Content-Type: application/json',
    'Accept: application/json, text/event-stream',
    'MCP-Protocol-Version: 2025-11-25',
    'Transfer-Encoding: chunked',
  ]
  const { status, text } = await send(port, head, [`${message.replaceAll(/./g, '1\r\n$&\r\n')}0\r\n\r\n`])
  http.close()
  // The request is refused because it has no session; the id shows that the whole body was read.
  expect([status, text]).toEqual([400, expect.stringContaining('"id":7')])
  expect(most).toBeLessThanOrEqual(4_096)
})
