// A server as a child process that uses the build.
import { type ChildProcessWithoutNullStreams, spawn } from 'node:child_process'
import { fileURLToPath } from 'node:url'
import { afterEach, describe, expect, it } from 'vitest'
import { expectWithin } from '../soak.js'
import { call, initialize, initialized, modern, selfDescribing, until, versions } from './fixture.js'
import { Client, linePeer } from './peers.js'

const script = fileURLToPath(new URL('stdio-server.mjs', import.meta.url))
const children: ChildProcessWithoutNullStreams[] = []
afterEach(() => {
  for (const child of children.splice(0)) child.kill('SIGKILL')
})

function start(env: NodeJS.ProcessEnv = {}) {
  const child = spawn(process.execPath, [script], { env: { ...process.env, ...env } })
  children.push(child)
  const out: Buffer[] = []
  const errors: Buffer[] = []
  child.stdout.on('data', (chunk: Buffer | string) => out.push(Buffer.from(chunk)))
  child.stderr.on('data', (chunk: Buffer) => errors.push(chunk))
  const exited = new Promise<{ code: number | null; at: number }>((resolve) =>
    child.on('exit', (code) => resolve({ code, at: performance.now() })),
  )
  const lines = () => Buffer.concat(out).toString().split('\n').slice(0, -1)
  return { child, exited, lines, messages: () => lines().map((line) => JSON.parse(line)), errors: () => Buffer.concat(errors) }
}

const line = (message: object) => `${JSON.stringify(message)}\n`
const opening = line(initialize('2025-11-25')) + line(initialized)

describe('a server on stdio', () => {
  it.each([...versions, modern])('STDIO-001 STDIO-002 STDIO-006 prints messages and nothing else, %s', async (version) => {
    const { child, lines, errors } = start()
    const client = await Client.open(
      linePeer({ readable: child.stdout, writable: child.stdin, close: () => child.kill() }),
      version,
    )
    const messages = await client.request(call(1, 'chatty'))
    expect(messages.map(({ id }) => id)).toEqual([1])
    expect((await client.request(call(2, 'echo', { text: 'a\nb' }))).map(({ id }) => id)).toEqual([2])
    for (const one of lines()) expect(JSON.parse(one).jsonrpc).toBe('2.0')
    await until(() => errors().includes('written'))
    expect(new TextDecoder('utf-8', { fatal: true }).decode(errors())).toContain('printed with ümläuts')
  })

  it('STDIO-007 continues after blank, oversize and CRLF lines', async () => {
    const { child, messages } = start()
    child.stdin.write(opening)
    child.stdin.write('\n  \r\n')
    child.stdin.write(`${line(call(1, 'echo', { text: 'crlf' })).trim()}\r\n`)
    child.stdin.write(`{"jsonrpc":"2.0","id":2,"method":"${'x'.repeat(5 * 1024 * 1024)}"}\n`)
    child.stdin.write(line(call(3, 'echo', { text: 'after' })))
    await until(() => messages().length === 4)
    // Responses may come in any order.
    expect(new Set(messages().map(({ id, error }) => error?.code ?? id))).toEqual(new Set(['init', 1, -32700, 3]))
  })

  it('STDIO-008 answers other requests while a handler waits', async () => {
    const { child, messages } = start()
    child.stdin.write(opening + line(call('slow', 'slow', { ms: 60_000 })))
    await until(() => messages().length === 1)
    child.stdin.write(line({ jsonrpc: '2.0', id: 'ping', method: 'ping' }))
    await until(() => messages().length === 2)
    expect(messages()[1]).toEqual({ jsonrpc: '2.0', id: 'ping', result: {} })
  })

  it('answers all requests before the end of stdin, then exits', async () => {
    const { child, messages, exited } = start()
    child.stdin.end(`${opening}${line(call(1, 'slow', { ms: 200 }))}${line(call(2, 'echo', { text: 'last' })).trim()}`)
    expect((await exited).code).toBe(0)
    expect(messages().map(({ id }) => id)).toEqual(['init', 2, 1])
  })

  it('STDIO-011 exits within two seconds of the end of stdin, whatever is running', async () => {
    let quickest = Number.POSITIVE_INFINITY
    // Ending a process takes time on a busy machine, so the fastest of three counts.
    for (let round = 0; round < 3 && quickest >= 2_000; round++) {
      const { child, messages, exited } = start()
      child.stdin.write(opening + line(call('slow', 'slow', { ms: 60_000 })))
      await until(() => messages().length === 1)
      const began = performance.now()
      child.stdin.end()
      const { code, at } = await exited
      expect(code).toBe(0)
      quickest = Math.min(quickest, at - began)
    }
    expectWithin(quickest, 2_000)
  })

  it('finishes pending requests on SIGTERM, then exits', async () => {
    const { child, messages, exited } = start()
    child.stdin.write(opening + line(call('slow', 'slow', { ms: 400 })))
    await until(() => messages().length === 1)
    await new Promise((resolve) => setTimeout(resolve, 100))
    child.kill('SIGTERM')
    expect((await exited).code).toBe(0)
    expect(messages().at(-1)).toMatchObject({ id: 'slow', result: { content: [{ text: 'done' }] } })
  })

  it('STDIO-012 exits on SIGTERM by itself: its last line is complete, then stdout and the process end', async () => {
    const { child, messages, exited, lines } = start()
    let rest = ''
    child.stdout.on('data', (chunk: Buffer) => (rest = chunk.toString().split('\n').at(-1) ?? ''))
    const closed = new Promise((resolve) => child.stdout.on('end', () => resolve('stdout')))
    child.stdin.write(opening + line(call('pending', 'slow', { ms: 60_000 })))
    await until(() => messages().length === 1)
    child.kill('SIGTERM')
    expect(await closed).toBe('stdout')
    expect(await exited).toMatchObject({ code: 0 })
    expect([child.signalCode, rest]).toEqual([null, ''])
    expect(lines().length).toBeLessThanOrEqual(2)
  })

  it('STDIO-014 reads credentials from its environment, and asks for none', async () => {
    const { child, messages, lines } = start({ SHOP_TOKEN: 'from the environment' })
    const peer = linePeer({ readable: child.stdout, writable: child.stdin, close: () => child.kill() })
    for (const version of ['2025-11-25', modern]) {
      const client = await Client.open(peer, version)
      await client.request({ jsonrpc: '2.0', id: 'list', method: 'tools/list' } as object)
      await client.request(call('unknown', 'nope'))
      const answers = await client.request(call('credentials', 'credentials'))
      expect(answers.at(-1)).toMatchObject({ result: { content: [{ text: 'from the environment, 0' }] } })
    }
    expect(lines().join('\n')).not.toMatch(/oauth|authoriz|bearer|\b401\b/i)
    // This call proves that the counter works.
    const client = await Client.open(peer, modern)
    await client.request(call('dial', 'dial'))
    await client.request(call('again', 'credentials'))
    expect(messages().at(-1)).toMatchObject({ result: { content: [{ text: 'from the environment, 1' }] } })
  })

  it('supports both styles on one pipe', async () => {
    const { child, messages } = start()
    child.stdin.write(
      opening + line(selfDescribing(call('new', 'echo', { text: 'x' }))) + line(call('old', 'echo', { text: 'x' })),
    )
    await until(() => messages().length === 3)
    const byId = Object.fromEntries(messages().map((message) => [message.id, message.result]))
    expect([byId.new.resultType, byId.old.resultType]).toEqual(['complete', undefined])
  })

  it('SUBS-011 ends a subscription by name on a pipe', async () => {
    const { child, messages } = start()
    child.stdin.write(
      line(
        selfDescribing({
          jsonrpc: '2.0',
          id: 'listen',
          method: 'subscriptions/listen',
          params: { notifications: { toolsListChanged: true } },
        }),
      ),
    )
    await until(() => messages().length === 1)
    child.kill('SIGTERM')
    await until(() => messages().length === 3)
    expect(
      messages()
        .slice(1)
        .map(({ id, method, params }) => id ?? [method, params.requestId]),
    ).toEqual(['listen', ['notifications/cancelled', 'listen']])
  })

  it('survives a closed reader', async () => {
    const { child, exited } = start()
    child.stdin.write(opening)
    child.stdout.destroy()
    for (let n = 0; n < 50; n++) child.stdin.write(line(call(n, 'echo', { text: 'x'.repeat(10_000) })), () => {})
    child.stdin.on('error', () => {})
    expect((await exited).code).toBe(0)
  })
})
