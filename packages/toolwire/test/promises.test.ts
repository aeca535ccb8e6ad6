// Documented default settings of a server. Each title begins with its setting.
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { request as httpRequest } from 'node:http'
import { connect } from 'node:net'
import { networkInterfaces } from 'node:os'
import { fileURLToPath } from 'node:url'
import { server, tool } from 'toolwire'
import { listen } from 'toolwire/node'
import { afterEach, describe, expect, it } from 'vitest'
import { z } from 'zod'
import { JsonError, parseJson } from '../src/json.js'
import { defaultHttpLimits } from '../src/transports/http/server/options.js'
import './reported-faults.js'
import { type Reply, said, speaking } from './server/pipe.js'
import { expectWithin } from './soak.js'
import { call, fixture, initialize, selfDescribing, until } from './transports/fixture.js'
import { both, mirrored } from './transports/peers.js'

const ping = selfDescribing(call(1, 'echo', { text: 'x' }))
const json = { 'content-type': 'application/json', accept: both }

const post = (url: string, message: object = ping, headers: Record<string, string> = {}) =>
  fetch(url, { method: 'POST', headers: { ...json, ...mirrored(message), ...headers }, body: JSON.stringify(message) })

const open: { close(): Promise<void> }[] = []
afterEach(async () => {
  await Promise.all(open.splice(0).map((one) => one.close()))
})

async function serving(...[app, options]: Parameters<typeof listen>) {
  const listening = await listen(app, { signals: false, ...options })
  open.push(listening)
  return listening
}

describe('Bind:', () => {
  it.each([
    '0.0.0.0',
    '::',
    '192.0.2.1',
    'tools.example',
  ])('SECS-008 %s needs credentials, or an explicit opt-out', async (host) => {
    await expect(listen(fixture().app, { host, signals: false })).rejects.toThrow(/authenticate/)
  })

  it('loopback by default', async () => {
    expect((await serving(fixture().app)).host).toBe('127.0.0.1')
  })

  it('localhost answers on all its addresses', async () => {
    const { port } = await serving(fixture().app, { host: 'localhost' })
    const hasIpv6 = Object.values(networkInterfaces()).some((all) => all?.some(({ address }) => address === '::1'))
    const answers = await Promise.all(
      ['127.0.0.1', ...(hasIpv6 ? ['[::1]'] : [])].map(async (host) => (await post(`http://${host}:${port}/mcp`)).status),
    )
    expect(new Set(answers)).toEqual(new Set([200]))
  })

  it('localhost closes on all its addresses', async () => {
    const listening = await listen(fixture().app, { host: 'localhost', signals: false })
    await listening.close()
    await expect(post(listening.url)).rejects.toThrow()
  })
})

describe('JSON:', () => {
  const code = (text: string) => {
    try {
      parseJson(text)
    } catch (thrown) {
      if (thrown instanceof JsonError) return thrown.code
      throw thrown
    }
    return undefined
  }
  const members = (count: number) => `{${Array.from({ length: count }, (_, at) => `"k${at}":0`).join()}}`

  it.each([
    ['64 levels', '['.repeat(64) + ']'.repeat(64), undefined],
    ['65 levels', '['.repeat(65) + ']'.repeat(65), 'depth'],
    ['10,000 members', members(10_000), undefined],
    ['10,001 members', members(10_001), 'members'],
    ['100,000 objects and arrays', `[${Array(99_999).fill('{}').join()}]`, undefined],
    ['one more than that', `[${Array(100_000).fill('{}').join()}]`, 'members'],
    ['a key twice', '{"a":0,"\\u0061":0}', 'duplicate'],
    ['a byte order mark', '\ufeff{}', 'bom'],
    ['half a surrogate pair', '"\\ud800"', 'surrogate'],
  ])('%s', (_, text, expected) => expect(code(text)).toBe(expected))

  it('many small arrays do not block the event loop', () => {
    const began = performance.now()
    expect(
      code(
        `[${Array(40_000)
          .fill('['.repeat(50) + ']'.repeat(50))
          .join()}]`,
      ),
    ).toBe('members')
    expectWithin(performance.now() - began, 150)
  })
})

describe('Tool names:', () => {
  it.each(['a', 'A-b_c.9', 'x'.repeat(128)])('%s is valid', (name) => {
    expect(() => server({ name: 's', version: '1', tools: { [name]: tool({ run: () => '' }) } })).not.toThrow()
  })
  it.each(['', 'a b', 'ä', 'a/b', 'x'.repeat(129)])('"%s" is invalid', (name) => {
    expect(() => server({ name: 's', version: '1', tools: { [name]: tool({ run: () => '' }) } })).toThrow()
  })
})

describe('Request body:', () => {
  it('4 MiB of bytes received, then 413', async () => {
    const { url } = await serving(fixture().app)
    const send = (size: number) =>
      new Promise<number | undefined>((resolve, reject) => {
        const headers = { ...json, ...mirrored(ping), 'transfer-encoding': 'chunked' }
        const request = httpRequest(url, { method: 'POST', headers, agent: false }, (response) => {
          response.resume()
          resolve(response.statusCode)
        })
        request.on('error', reject)
        request.end(JSON.stringify(ping).padEnd(size))
      })
    expect(await send(4 * 1024 * 1024)).toBe(200)
    expect(await send(4 * 1024 * 1024 + 1)).toBe(413)
  })
})

describe('Connections:', () => {
  const text = (message: object) => {
    const body = JSON.stringify(message)
    const headers = { host: 'localhost', ...json, ...mirrored(message), 'content-length': String(Buffer.byteLength(body)) }
    const lines = Object.entries(headers).map(([name, value]) => `${name}: ${value}\r\n`)
    return `POST /mcp HTTP/1.1\r\n${lines.join('')}\r\n${body}`
  }

  it('keep-alive 5 s', async () => {
    expect((await post((await serving(fixture().app)).url)).headers.get('keep-alive')).toBe('timeout=5')
  })

  it('write stall: the connection of a client that never reads its answer is closed', async () => {
    const big = tool({ run: () => 'x'.repeat(4_000_000) })
    const app = server({ name: 'big', version: '1', tools: { big } })
    const { port } = await serving(app, { limits: { stallMs: 300 } })
    const socket = connect(port, '127.0.0.1', () => socket.write(text(selfDescribing(call(1, 'big'))).repeat(3)))
    socket.pause().on('error', () => {})
    await new Promise((resolve) => setTimeout(resolve, 1_500))
    let receivedBytes = 0
    socket.on('data', (chunk: Buffer) => {
      receivedBytes += chunk.length
    })
    socket.resume()
    await once(socket, 'close')
    expect(receivedBytes).toBeLessThan(8_000_000)
  })

  it('write stall: a call may take longer than the stall limit', async () => {
    const { url } = await serving(fixture().app, { limits: { stallMs: 100 } })
    const slow = selfDescribing(call(1, 'slow', { ms: 400 }))
    expect((await (await post(url, slow)).json()).result.isError).toBe(false)
  })
})

describe('Streams:', () => {
  it('SSE keep-alive comment 15 s, write stall 30 s, 1,024 listen streams a process and 16 a principal', () => {
    expect(defaultHttpLimits).toMatchObject({ keepAliveMs: 15_000, stallMs: 30_000, streams: 1_024, streamsEach: 16 })
  })

  it('the 17th stream of one principal is refused', async () => {
    const { url } = await serving(fixture().app, { authenticate: () => ({ id: 'ann', scopes: [] }) })
    const opened = await post(url, initialize('2025-11-25'))
    const session = { 'mcp-session-id': opened.headers.get('mcp-session-id') ?? '', accept: 'text/event-stream' }
    const streams = await Promise.all(Array.from({ length: 16 }, () => fetch(url, { headers: session })))
    expect(new Set(streams.map(({ status }) => status))).toEqual(new Set([200]))
    const refused = await fetch(url, { headers: session })
    expect([refused.status, refused.headers.get('retry-after')]).toEqual([429, '5'])
  })
})

describe('Memory:', () => {
  it('a batch of large answers is cut short, and each request still gets an answer', async () => {
    const big = tool({ run: () => 'x'.repeat(1_000_000) })
    const { pipe } = await speaking(server({ name: 's', version: '1', tools: { big } }), '2025-03-26')
    const batch = Array.from({ length: 20 }, (_, id) => call(id, 'big'))
    const answers = (await pipe.say(batch)) as unknown as Reply[] // a batch is answered by an array
    expect(answers.map(({ id }) => id)).toEqual(Array.from({ length: 20 }, (_, id) => id))
    expect(answers.filter(({ error }) => error?.code === -32603)).toHaveLength(12)
  })

  it('a cursor of 4 MiB is refused without being decoded', async () => {
    const { pipe } = await speaking(server({ name: 's', version: '1', tools: { t: tool({ run: () => '' }) } }), '2025-11-25')
    const began = performance.now()
    expect((await pipe.ask('tools/list', { cursor: 'A'.repeat(4_000_000) })).error).toMatchObject({ code: -32602 })
    expectWithin(performance.now() - began, 150)
  })
})

describe('In flight:', () => {
  it('a call is refused with 429 and Retry-After if the queue is full', async () => {
    const { app, running } = held({ inFlight: 1, queue: 1 })
    const { url } = await serving(app)
    const first = post(url, selfDescribing(call(1, 'wait')))
    await until(() => running.length === 1)
    const others = [2, 3].map((id) => post(url, selfDescribing(call(id, 'wait'))))
    const { status, headers } = await Promise.race(others)
    expect([status, headers.get('retry-after')]).toEqual([429, '1'])
    running[0]?.()
    await until(() => running.length === 2)
    running[1]?.()
    const answers = await Promise.all([first, ...others])
    expect(answers.map((answer) => answer.status).sort()).toEqual([200, 200, 429])
  })

  function held(limits: object) {
    const running: (() => void)[] = []
    const wait = tool({ run: () => new Promise<string>((resolve) => running.push(() => resolve('done'))) })
    return { running, app: server({ name: 'held', version: '1', tools: { wait }, limits }) }
  }
})

describe('Cache:', () => {
  const shop = (cache: object) => server({ name: 's', version: '1', tools: { t: tool({ run: () => '' }) }, cache })

  it.each([
    ['ttl 0 and private unless said otherwise', {}, { ttlMs: 0, cacheScope: 'private' }],
    ['a day at most', { ttlMs: 10 * 86_400_000 }, { ttlMs: 86_400_000 }],
  ])('%s', async (_, cache, expected) => {
    const { pipe } = await speaking(shop(cache), '2026-07-28')
    expect((await pipe.ask('tools/list', said())).result).toMatchObject(expected)
  })
})

describe('Errors:', () => {
  it('expose no internals', async () => {
    const fail = tool({
      input: z.object({}),
      run: () => {
        throw new Error('password=hunter2 at /srv/app.js')
      },
    })
    const { url } = await serving(server({ name: 's', version: '1', tools: { fail } }))
    const text = await (await post(url, selfDescribing(call(1, 'fail')))).text()
    expect(text).toContain('"isError":true')
    expect(text).not.toMatch(/hunter2|\/srv|stack/)
  })
})

describe('The server survives:', () => {
  const script = fileURLToPath(new URL('careless-server.mjs', import.meta.url))

  it('a rejected promise that a handler dropped, on stdio', async () => {
    const child = spawn(process.execPath, [script, 'stdio'])
    let [out, errors] = ['', '']
    child.stdout.on('data', (chunk) => (out += chunk))
    child.stderr.on('data', (chunk) => (errors += chunk))
    const exited = once(child, 'exit')
    for (const id of [1, 2]) {
      child.stdin.write(`${JSON.stringify(selfDescribing(call(id, 'drop')))}\n`)
      await until(() => out.includes(`"id":${id}`))
    }
    child.stdin.end()
    expect((await exited)[0]).toBe(0)
    expect(errors).toContain('dropped')
  })

  it('a rejected promise that a handler dropped, over HTTP', async () => {
    const child = spawn(process.execPath, [script, 'http'])
    const [url] = await once(child.stdout, 'data')
    for (const id of [1, 2, 3]) expect((await post(String(url).trim(), selfDescribing(call(id, 'drop')))).status).toBe(200)
    child.kill('SIGTERM')
    expect((await once(child, 'exit'))[0]).toBe(0)
  })
})
