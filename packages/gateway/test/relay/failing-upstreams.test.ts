// Upstreams that fail during a call: the caller gets a clear error, and no call is repeated.
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { resource, server, tool } from 'toolwire'
import { describe, expect, it, onTestFinished } from 'vitest'
import { expectWithin } from '../../../toolwire/test/soak.js'
import { askingApp } from '../programs/asking-server.mjs'
import {
  askingServer,
  child,
  client,
  eventually,
  gateway,
  http,
  listening,
  modern,
  program,
  upstream,
  words,
} from '../support/upstream-fixture.js'

/** The result of a failed call: a code for programs and a text for people. */
const unknown = (server: string) => ({
  isError: true,
  content: [{ text: expect.stringContaining(`${server}: outcome_unknown`) }],
  _meta: { 'dev.toolwire/failure': 'outcome_unknown' },
})

describe.each(['2025-11-25', modern])('an upstream of %s', (revision) => {
  it('that exceeds its timeout receives a cancellation, and the outcome is unknown', async () => {
    const { target, done } = await askingServer(revision, 'http')
    const { url } = await gateway([upstream('slow', target, { timeout: { idleMs: 4_000, totalMs: 5_000 } })])
    const at = performance.now()
    expect(await (await client(url)).call('slow__wait')).toMatchObject(unknown('slow'))
    expectWithin(performance.now() - at, 10_000)
    await eventually(() => done.cancelled === 1)
  })

  it('may have a timeout as long as a timer can be, without an overflow', async () => {
    const later = () => new Promise<string>((resolve) => setTimeout(resolve, 20, 'done'))
    const tools = { wait: tool({ description: 'Waits', run: later }) }
    const resources = { it: resource({ uri: 'note://it', read: later }) }
    const { url: at } = await listening(server({ name: 'long', version: '1.0.0', revisions: [revision], tools, resources }))
    const timeout = { idleMs: 2_147_483_647, totalMs: 2_147_483_647 }
    const { url } = await gateway([upstream('long', http(at), { timeout })])
    const one = await client(url)
    expect(words(await one.call('long__wait'))).toBe('done')
    expect(await one.readResource('note://it')).toMatchObject([{ text: 'done' }])
  })

  it('whose process is killed during a call leaves its outcome unknown, and others are not affected', async () => {
    const dying = upstream('dying', child(program('asking-child.mjs'), revision))
    const { target } = await askingServer(revision, 'http')
    const { url } = await gateway([dying, upstream('living', target)])
    const one = await client(url)
    const pid = Number(words(await one.call('dying__pid')))
    const call = one.call('dying__wait')
    await expect.poll(async () => words(await one.call('dying__counts'))).toBe('{"waits":1}')
    const others = Array.from({ length: 100 }, () => one.call('living__sum', { a: 1, b: 2 }))
    process.kill(pid, 'SIGKILL')
    expect(await call).toMatchObject(unknown('dying'))
    expect((await Promise.all(others)).map(words)).toEqual(Array.from({ length: 100 }, () => '{"sum":3}'))
    await eventually(() => dying.status.state === 'ready' && dying.status.restarts === 1)
    expect(words(await one.call('dying__sum', { a: 1, b: 2 }))).toBe('{"sum":3}')
  })

  it('that dies while its question is pending is not asked again: the returning caller gets the known outcome', async () => {
    const dying = upstream('dying', child(program('asking-child.mjs'), '2025-11-25'))
    const { url } = await gateway([dying])
    let answered = 0
    const one = await client(url, {
      revision,
      answers: {
        form: async () => {
          answered++
          process.kill(Number(words(await other.call('dying__pid'))), 'SIGKILL')
          await new Promise((resolve) => setTimeout(resolve, 200))
          return { action: 'accept', content: { people: 2 } }
        },
      },
    })
    const other = await client(url)
    const result = await one.call('dying__book', { at: 'noon' })
    expect(result).toMatchObject(unknown('dying'))
    expect(answered).toBe(1)
  })
})

describe('an upstream that does not wait for the answer to its own question', () => {
  it('does not delay its result', async () => {
    const { target } = await askingServer('2025-11-25', 'http')
    const { url } = await gateway([upstream('hasty', target)])
    const one = await client(url, { revision: '2025-11-25', answers: { form: () => new Promise(() => undefined) } })
    expect(words(await one.call('hasty__hasty'))).toBe('did not wait')
  })
})

describe('an upstream that dies while its question to an older caller is open', () => {
  it('ends the call, and does not wait for the answer', async () => {
    const dying = upstream('dying', child(program('asking-child.mjs'), '2025-11-25'))
    const { url } = await gateway([dying])
    const pid = Number(words(await (await client(url)).call('dying__pid')))
    const form = async () => {
      process.kill(pid, 'SIGKILL')
      return new Promise<never>(() => undefined)
    }
    const one = await client(url, { revision: '2025-11-25', answers: { form } })
    expect(await one.call('dying__book', { at: 'noon' })).toMatchObject(unknown('dying'))
  })
})

describe('a connection that is reset after the call has been written', () => {
  it('leaves its outcome unknown, and the call is not made again', async () => {
    const { url: behind } = await listening(askingApp(modern))
    const relayed = createServer((request, response) => pass(request, response, behind))
    await new Promise<void>((resolve) => relayed.listen(0, '127.0.0.1', resolve))
    onTestFinished(() => {
      relayed.closeAllConnections()
      relayed.close()
    })
    const target = http(`http://127.0.0.1:${(relayed.address() as AddressInfo).port}/mcp`)
    const { url } = await gateway([upstream('broken', target, { revision: modern })])
    expect(await (await client(url)).call('broken__counts')).toMatchObject(unknown('broken'))
    expect(broken).toBe(1)
  })

  let broken = 0
  /** Relays everything except calls: it reads a call to the last byte, and hangs up. */
  function pass(request: IncomingMessage, response: ServerResponse, behind: string): void {
    const chunks: Buffer[] = []
    request.on('data', (chunk) => chunks.push(chunk))
    request.on('end', async () => {
      if (request.headers['mcp-method'] === 'tools/call') {
        broken++
        request.socket.resetAndDestroy()
        return
      }
      const names = ['content-type', 'accept', 'mcp-protocol-version', 'mcp-method', 'mcp-name']
      const headers = Object.fromEntries(
        names.flatMap((name) => (request.headers[name] ? [[name, String(request.headers[name])]] : [])),
      )
      const stop = new AbortController()
      response.on('close', () => stop.abort())
      try {
        const answer = await fetch(behind, { method: 'POST', headers, body: Buffer.concat(chunks), signal: stop.signal })
        response.writeHead(answer.status, { 'content-type': answer.headers.get('content-type') ?? 'text/plain' })
        for await (const chunk of answer.body ?? []) response.write(chunk)
      } catch (thrown) {
        if (!stop.signal.aborted) throw thrown
      }
      response.end()
    })
  }
})

describe('an upstream over HTTP+SSE', () => {
  it('of the first revision is connected, with results and progress', async () => {
    const { url: behind } = await listening(askingApp('2024-11-05'), { legacySse: true })
    const target = { kind: 'sse', url: behind.replace('/mcp', '/sse'), headers: {} } as const
    const first = upstream('first', target)
    const { url } = await gateway([first])
    const one = await client(url)
    expect(words(await one.call('first__sum', { a: 1, b: 2 }))).toBe('{"sum":3}')
    expect(first.status.revision).toBe('2024-11-05')
    const steps: number[] = []
    await one.call('first__steps', { steps: 3 }, { onProgress: ({ progress }) => steps.push(progress) })
    expect(steps.at(-1)).toBe(3)
  })
})
