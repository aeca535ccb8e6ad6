// Memory stays reserved for a request until its work has ended, even if its client has disconnected.
import { type ClientRequest, IncomingMessage, request, ServerResponse } from 'node:http'
import { type AddressInfo, Socket } from 'node:net'
import fc from 'fast-check'
import { type Context, jsonSchema, prompt, server, tool } from 'toolwire'
import { nodeHandler } from 'toolwire/node'
import { relay, strictServer } from 'toolwire/relay'
import { describe, expect, it, onTestFinished } from 'vitest'
import { howMany } from '../../../toolwire/test/soak.js'
import { memoryReservation } from '../../src/http/admission.js'
import { decodeForwarded, encodeOwn } from '../../src/http/replicas/forwarded-message.js'

const text = 'x'.repeat(50_000)
/** There is memory for one request of this size, but not for two. */
const room = 2_000_000

type Message = { readonly id?: number; readonly method: string; readonly params?: object }
const encode = (message: Message | readonly Message[]): string => {
  const whole = [message].flat().map((one) => ({ jsonrpc: '2.0', ...one }))
  return JSON.stringify(Array.isArray(message) ? whole : whole[0])
}

/** A server whose tool and prompt end when the test releases them. */
async function slowServer(memory = room) {
  let runs = 0
  let finish!: () => void
  const finished = new Promise<void>((resolve) => {
    finish = resolve
  })
  const wait = async () => {
    runs++
    await finished
    return 'done'
  }
  const slow = tool({ description: 'Waits.', longRunning: 'optional', input: jsonSchema<object>({ type: 'object' }), run: wait })
  const listed = { name: 'promoted', inputSchema: { type: 'object' }, execution: { taskSupport: 'optional' } } as const
  const run = async (_: object, ctx: Context) => {
    ctx.promoteToTask?.()
    return { content: [{ type: 'text', text: await wait() }], isError: false } as const
  }
  const promoted = relay(listed, { run, longRunning: 'optional' })
  const waits = prompt({ description: 'Waits.', args: { text: {} }, run: wait })
  const handler = nodeHandler(server({ name: 'slow', version: '1.0.0', tools: { slow, promoted }, prompts: { waits } }), {
    legacySse: true,
    authenticate: ({ header }) => ({ id: header('x-caller') ?? 'somebody', scopes: [] }),
  })
  const reserve = memoryReservation(memory)
  const closed: Promise<unknown>[] = []
  const http = strictServer({}, (req, res) => {
    if (!reserve(req, res)) return void req.resume().once('end', () => res.writeHead(429).end())
    if (Number(req.headers['content-length']) > text.length) closed.push(new Promise((resolve) => res.once('close', resolve)))
    handler(req, res)
  })
  await new Promise<void>((resolve) => void http.listen(0, '127.0.0.1', resolve))
  onTestFinished(() => {
    finish()
    http.closeAllConnections()
    http.close()
  })
  const { port } = http.address() as AddressInfo
  return { port, runs: () => runs, finish, responsesClosed: () => Promise.all(closed) }
}

type Headers = Readonly<Record<string, string>>
type Sent = { readonly sending: ClientRequest; readonly response: Promise<IncomingMessage> }

function send(port: number, path: string, headers: Headers, body?: string): Sent {
  const usual = { accept: 'application/json, text/event-stream', 'content-type': 'application/json' }
  const length = body === undefined ? {} : { 'content-length': String(Buffer.byteLength(body)) }
  const method = body === undefined ? 'GET' : 'POST'
  const sending = request({ host: '127.0.0.1', port, path, method, agent: false, headers: { ...usual, ...length, ...headers } })
  const response = new Promise<IncomingMessage>((resolve, reject) => void sending.once('response', resolve).on('error', reject))
  response.catch(() => undefined) // the test aborts it
  sending.end(body)
  return { sending, response }
}

async function textOf(response: IncomingMessage): Promise<string> {
  let text = ''
  for await (const piece of response) text += String(piece)
  return text
}

const hello = (protocolVersion: string): string =>
  encode({ id: 0, method: 'initialize', params: { protocolVersion, capabilities: {}, clientInfo: { name: 'c', version: '1' } } })

/** Sends the message in a session of that revision. */
const inSession = (revision: string, message: Message | readonly Message[]) => async (port: number) => {
  const { headers } = await send(port, '/mcp', {}, hello(revision)).response
  return send(port, '/mcp', { 'mcp-session-id': String(headers['mcp-session-id']) }, encode(message))
}

const overSse = (revision: string, message: Message) => async (port: number) => {
  const events = await send(port, '/sse', {}).response
  const path = await new Promise<string>((resolve) => {
    events.on('data', (piece) => {
      const found = /data: (\/messages\S+)/.exec(String(piece))?.[1]
      if (found) resolve(found)
    })
  })
  await send(port, path, {}, hello(revision)).response
  return send(port, path, {}, encode(message))
}

/** Calls the tool as a client with support for tasks. */
const perRequest =
  (name: string, args: object = { text }, caller = 'somebody') =>
  (port: number) => {
    const _meta = {
      'io.modelcontextprotocol/protocolVersion': '2026-07-28',
      'io.modelcontextprotocol/clientCapabilities': { extensions: { 'io.modelcontextprotocol/tasks': {} } },
    }
    const headers = { 'mcp-protocol-version': '2026-07-28', 'mcp-method': 'tools/call', 'mcp-name': name, 'x-caller': caller }
    return send(port, '/mcp', headers, encode({ ...call, params: { name, arguments: args, _meta } }))
  }

const call = { id: 1, method: 'tools/call', params: { name: 'slow', arguments: { text } } }
const task = { ...call, params: { ...call.params, task: {} } }

const kinds: { readonly [name: string]: (port: number) => Sent | Promise<Sent> } = {
  'a call in a session': inSession('2025-11-25', call),
  'a batch': inSession('2025-03-26', [call]),
  'a prompt in a session': inSession('2025-11-25', {
    id: 1,
    method: 'prompts/get',
    params: { name: 'waits', arguments: { text } },
  }),
  'a call over HTTP with SSE': overSse('2024-11-05', call),
  'a task over HTTP with SSE': overSse('2025-11-25', task),
  'a task of 2025-11-25': inSession('2025-11-25', task),
  'a task of 2026-07-28': perRequest('slow'),
  'a call of 2026-07-28 that becomes a task': perRequest('promoted'),
}

describe.each(Object.entries(kinds))('%s', (_, begin) => {
  it('holds its memory until it has ended, even if its client is gone', async () => {
    const slow = await slowServer()
    const { sending } = await begin(slow.port)
    await expect.poll(slow.runs).toBe(1)
    sending.destroy()
    await slow.responsesClosed()
    const another = async () =>
      (await send(slow.port, '/mcp', {}, encode({ method: 'notifications/x', params: { text } })).response).statusCode
    expect(await another()).toBe(429)
    slow.finish()
    await expect.poll(another).not.toBe(429)
  })
})

it.each([
  '2025-11-25',
  '2026-07-28',
])('long tasks of %s are refused beyond a quarter of the memory, and short ones are not', async (revision) => {
  const slow = await slowServer(4 * room)
  const ask = async (text: string) => {
    const long = { ...task, params: { ...task.params, arguments: { text } } }
    const { response } =
      revision === '2025-11-25' ? await inSession(revision, long)(slow.port) : perRequest('slow', { text })(slow.port)
    return textOf(await response)
  }
  expect(await ask(text)).toContain('"taskId"')
  expect(await ask(text)).toContain('Too many tasks with long arguments')
  expect(await ask('short')).toContain('"taskId"')
  slow.finish()
  await expect.poll(() => ask(text)).toContain('"taskId"')
})

it('a caller has at most half of the memory for tasks, and others have the rest', async () => {
  const slow = await slowServer(16 * room)
  const ask = async (caller: string) => textOf(await perRequest('slow', { text }, caller)(slow.port).response)
  for (const caller of ['ada', 'ada']) expect(await ask(caller)).toContain('"taskId"')
  expect(await ask('ada')).toContain('Too many tasks with long arguments')
  for (const caller of ['bob', 'bob']) expect(await ask(caller)).toContain('"taskId"')
  expect(await ask('eve')).toContain('Too many tasks with long arguments')
  slow.finish()
  await expect.poll(() => ask('ada')).toContain('"taskId"')
})

it('a call does not become a task without memory for another long task', async () => {
  const slow = await slowServer(4 * room)
  expect(await textOf(await perRequest('slow')(slow.port).response)).toContain('"taskId"')
  const called = perRequest('promoted')(slow.port).response
  await expect.poll(slow.runs).toBe(2)
  slow.finish()
  expect(await textOf(await called)).toContain('"complete"')
})

function exchange(headers: Headers, url = '/mcp') {
  const socket = new Socket()
  const req = Object.assign(new IncomingMessage(socket), { method: 'POST', url, headers })
  const res = new ServerResponse(req)
  res.assignSocket(socket)
  return { req, res }
}

const long = { 'content-length': '1000000' }

it('a key counts as one sender, however it is shown', () => {
  const reserve = memoryReservation(100_000_000)
  const forms: Headers[] = [
    { authorization: 'Bearer eve' },
    { authorization: '  BEARER   eve ' },
    { 'x-api-key': 'eve' },
    { 'x-api-key': ' eve', authorization: 'Basic other' },
  ]
  const admitted = Array.from({ length: 12 }, (_, n) => exchange({ ...long, ...forms[n % forms.length] })).filter(
    ({ req, res }) => reserve(req, res),
  )
  expect(admitted).toHaveLength(2)
  const { req, res } = exchange({ ...long, authorization: 'Bearer ada' })
  expect(reserve(req, res)).toBe(true)
})

it('a request that another replica forwards counts for its own sender', () => {
  const reserve = memoryReservation(100_000_000)
  const admits = (sender: string) => {
    const { req, res } = exchange({ ...long, 'toolwire-sender': sender }, '/internal/replica')
    return reserve(req, res)
  }
  expect(['eve', 'eve', 'eve', 'ada'].map(admits)).toEqual([true, true, false, true])
})

it('a long request behind another one of its connection is refused, because its response could hold the memory', () => {
  const reserve = memoryReservation()
  const req = Object.assign(new IncomingMessage(new Socket()), { method: 'POST', headers: long })
  expect(reserve(req, new ServerResponse(req))).toBe(false)
})

it('no sender and no caller takes more than a half, and all together no more than there is', () => {
  const size = fc.integer({ min: 20_000, max: 4_000_000 })
  const step = fc.oneof(
    fc.record({ sender: fc.constantFrom('ada', 'bob', 'eve', 'eve again', 'eve once more'), size }),
    fc.record({ end: fc.nat() }),
  )
  fc.assert(
    fc.property(fc.integer({ min: 1, max: 40 }), fc.array(step, { maxLength: 60 }), (times, steps) => {
      const memoryRoom = times * 16 * 1_000_000
      const reserve = memoryReservation(memoryRoom)
      const running: { sender: string; memory: number; end: () => void }[] = []
      const callerOf = (sender: string) => sender.split(' ')[0] ?? ''
      const heldOf = (isCounted: (sender: string) => boolean) =>
        running.filter(({ sender }) => isCounted(sender)).reduce((sum, { memory }) => sum + memory, 0)
      const isHalf = (held: number, memory: number) => held === 0 || held + memory <= memoryRoom / 2
      for (const one of steps) {
        if ('end' in one) {
          running.splice(one.end % Math.max(1, running.length), 1)[0]?.end()
          continue
        }
        const { sender, size } = one
        // At least 16 copies, and the objects of a short text.
        const memory = Math.ceil(size * 16 + (Math.min(size, 300_000) * 64) / 3)
        const fits = running.length === 0 || heldOf(() => true) + memory <= memoryRoom
        const isFair = isHalf(
          heldOf((one) => one === sender),
          memory,
        )
        const isFairToCallers = isHalf(
          heldOf((one) => callerOf(one) === callerOf(sender)),
          memory,
        )
        const headers = { 'content-length': String(size), 'x-api-key': sender }
        const { req, res } = exchange(headers)
        expect(reserve(req, res)).toBe(fits && isFair)
        if (!fits || !isFair) continue
        const release = Object(req).hold({ requestOf: { id: callerOf(sender), scopes: [] } })
        expect(release !== undefined).toBe(isFairToCallers)
        const end = () => {
          res.emit('close')
          release()
        }
        if (release) running.push({ sender, memory, end })
      }
      for (const { end } of running) end()
      // Nothing is left over, so each sender can take a long request on its own again.
      for (const sender of ['ada', 'bob', 'eve']) {
        const { req, res } = exchange({ 'content-length': '4000000', 'x-api-key': sender })
        expect(reserve(req, res)).toBe(true)
        res.emit('close')
      }
    }),
    { numRuns: howMany(100, 2_000) },
  )
})

it('many small objects count more than one long text', () => {
  const admitted = (bytes: number): number => {
    const reserve = memoryReservation(512 * 1024 * 1024)
    const one = () => {
      // All from different senders.
      const headers = { 'content-length': String(bytes), 'x-api-key': String(count) }
      const { req, res } = exchange(headers)
      return reserve(req, res)
    }
    let count = 0
    while (one()) count++
    return count
  }
  // Parsed, 300,000 bytes of empty objects take 6.4 MB.
  expect(admitted(300_000) * 6.4e6).toBeLessThan(350e6)
  expect(admitted(4 * 1024 * 1024)).toBeGreaterThan(6)
})

it('a request that another replica has forwarded holds the memory of the one that carried it', () => {
  const hold = () => undefined
  const carrier = Object.assign(new IncomingMessage(new Socket()), { hold })
  expect(decodeForwarded(carrier, Buffer.from(encodeOwn('/mcp', {})))).toHaveProperty('hold', hold)
})
