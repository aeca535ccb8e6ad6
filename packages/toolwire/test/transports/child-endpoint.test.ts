// Servers as child processes: their environment, and the messages in both directions.
import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, afterEach, describe, expect, it, vi } from 'vitest'
import { childEndpoint } from '../../src/transports/stdio/client/child/child-endpoint.js'
import { watchLoop } from '../loop-watch.js'
import { howMany } from '../soak.js'
import { closeAll, Notes, request, start } from './child-fixture.js'
import { until } from './fixture.js'

const folder = mkdtempSync(join(tmpdir(), 'toolwire-child-'))
afterEach(closeAll)
afterAll(() => rmSync(folder, { recursive: true }))

describe('starting a child', () => {
  it('STDIO-015 sends requests and receives responses', async () => {
    const { link, notes } = await start('echo')
    link.send(request(1, { text: 'a\nb – ü' }))
    expect(JSON.parse(String((await notes.result(1)).line)).params).toEqual({ text: 'a\nb – ü' })
  })

  it('passes the safe variables, the inherited ones by name, and the declared ones', async () => {
    vi.stubEnv('SECRET_TOKEN', 'x')
    vi.stubEnv('WANTED', 'w')
    vi.stubEnv('TERM', '() { evil; }')
    const { link, notes } = await start('environment', { env: { DECLARED: 'd', SHELL: '/bin/other' }, inherit: ['WANTED'] })
    vi.unstubAllEnvs()
    link.send(request(1))
    const env = await notes.result(1)
    expect(env).toMatchObject({ DECLARED: 'd', WANTED: 'w', SHELL: '/bin/other', PATH: process.env.PATH })
    const allowed = ['HOME', 'LOGNAME', 'PATH', 'SHELL', 'USER', 'DECLARED', 'WANTED', '__CF_USER_TEXT_ENCODING']
    expect(Object.keys(env).filter((name) => !allowed.includes(name))).toEqual([])
  })

  it.each([
    ['a command that is not there', { command: 'no-such-command-anywhere' }, /command not found: no-such-command-anywhere/],
    ['a folder that is not there', { command: process.execPath, cwd: join(folder, 'nowhere') }, /folder does not exist/],
    ['a file that may not be run', { command: join(import.meta.dirname, 'child-fixture.ts') }, /may not be executed/],
  ])('explains how to fix %s', async (_what, command, words) => {
    const dialled = childEndpoint(command).dial(new Notes())
    await expect(dialled).rejects.toMatchObject({ name: 'TransportError', code: 'unreachable', sent: false })
    await expect(dialled).rejects.toThrow(words)
  })

  it('has a key that differs for each program, and contains no secrets', () => {
    const way = childEndpoint({ command: 'npx', args: ['server', '--token=abc'], env: { A: '1' } })
    expect(way.key).toBe(childEndpoint({ command: 'npx', args: ['server', '--token=abc'], env: { A: '2' } }).key)
    expect(way.key).not.toBe(childEndpoint({ command: 'npx', args: ['server --token=abc'] }).key)
    expect(way.key).not.toContain('abc')
  })
})

describe('the output of the client', () => {
  it('STDIO-001 STDIO-003 consists of messages, one per line, and nothing else', async () => {
    const file = join(folder, 'recorded')
    const { link } = await start('recorder', { file, graceMs: 60_000 })
    const spread = { ...request(3), text: JSON.stringify({ jsonrpc: '2.0', id: 3, method: 'ping' }, null, 2) }
    const sent = [request(1, { text: 'two\nlines' }), request(2, { text: 'ü\u2028' }), spread]
    for (const message of sent) link.send(message)
    link.send({ text: '{"jsonrpc":"2.0","method":"notifications/initialized"}', method: 'x', revision: undefined })
    link.drop(1)
    await link.close()
    const lines = readFileSync(file, 'utf8').split('\n')
    expect(lines.pop()).toBe('')
    expect(lines.map((line) => JSON.parse(line).id)).toEqual([1, 2, 3, undefined])
    expect(lines.slice(0, 3).map((line) => JSON.parse(line))).toEqual(sent.map(({ text }) => JSON.parse(text)))
  })

  it('is buffered up to the limit for a child that does not read; beyond the limit it fails as unsent', async () => {
    const { link, notes } = await start('deaf', { graceMs: 100 })
    await notes.result(1)
    const before = process.memoryUsage().arrayBuffers
    for (let id = 1; id <= 2_000; id++) {
      link.send(request(id, { text: 'ü'.repeat(10_000) }))
      if (id % 100 === 0) await new Promise(setImmediate)
    }
    await until(() => notes.losses.length > 1_000)
    expect(notes.losses[0]!.why).toMatchObject({ code: 'broken', sent: false })
    const written = (2_000 - notes.losses.length) * 20_000
    expect(written).toBeGreaterThan(3 * 1024 * 1024)
    expect(written).toBeLessThan(5 * 1024 * 1024)
    expect(process.memoryUsage().arrayBuffers - before).toBeLessThan(12 * 1024 * 1024)
    expect(notes.endings).toEqual([])
  })

  it('is refused if one message exceeds the limit', async () => {
    const { link, notes } = await start('echo', { limit: 1_000 })
    link.send(request(1, { text: 'x'.repeat(1_000) }))
    link.send(request(2))
    await notes.result(2)
    expect(notes.losses).toMatchObject([{ id: 1, why: { code: 'too-large', sent: false } }])
  })

  it.skipIf(process.platform === 'win32')('waits for a stopped child, and arrives after it was resumed', async () => {
    const { link, notes } = await start('echo')
    link.send(request(1))
    const pid = Number((await notes.result(1)).pid)
    process.kill(pid, 'SIGSTOP')
    for (let id = 2; id <= 500; id++) link.send(request(id, { text: 'x'.repeat(1_000) }))
    await new Promise((resolve) => setTimeout(resolve, 300))
    expect(notes.answers()).toHaveLength(1)
    process.kill(pid, 'SIGCONT')
    await notes.result(500)
    expect(notes.answers()).toHaveLength(500)
    expect(notes).toMatchObject({ losses: [], endings: [], warnings: [] })
  })
})

describe('the output of the child', () => {
  it('STDIO-007 is read message by message, even between garbage, blank lines, CRLF lines and one line of 40 MB', async () => {
    const { link, notes } = await start('garbage')
    const before = process.memoryUsage().rss
    let most = 0
    const watch = setInterval(() => {
      most = Math.max(most, process.memoryUsage().rss)
    }, 5)
    link.send(request(1))
    link.send(request(2))
    await notes.result(2)
    clearInterval(watch)
    expect(notes.answers().map(({ id }) => id)).toEqual([1, 2])
    expect(notes.warnings.slice(0, 4)).toEqual([
      'The server printed a line that is not a message: Listening on \\u{1b}[1mport 3000',
      expect.stringContaining('not valid JSON'),
      expect.stringContaining('sent an array'),
      expect.stringContaining('more than 4194304 bytes'),
    ])
    expect(most - before).toBeLessThan(64 * 1024 * 1024)
  })

  it('is every message of a child that ends after a long one, also on a busy machine and while a grandchild holds the pipe', async () => {
    const { link, notes } = await start('answers-at-length-and-exits')
    link.send(request(1))
    const busy = setInterval(() => {
      for (const until = performance.now() + 60; performance.now() < until; );
    })
    expect(await notes.ending()).toMatchObject({ code: 'exited' })
    clearInterval(busy)
    expect(notes.answers().map(({ id }) => id)).toEqual([1, 2])
  })

  it('is every line of a child that ends after many, also on a busy machine and while a grandchild holds the pipe', async () => {
    const { link, notes } = await start('answers-often-and-exits')
    const lines = howMany(10_000, 40_000)
    link.send(request(1, { lines }))
    const busy = setInterval(() => {
      for (const until = performance.now() + 60; performance.now() < until; );
    })
    expect(await notes.ending()).toMatchObject({ code: 'exited' })
    clearInterval(busy)
    expect(notes.messages).toHaveLength(lines)
  })

  it('STDIO-004 STDIO-005 is not delayed by much output on stderr, which is no error', async () => {
    let characters = 0
    const { link, notes } = await start('chatty', { onStderr: (text) => (characters += text.length) })
    link.send(request(1))
    await notes.result(1)
    await until(() => characters === 3_000_000)
    expect(notes).toMatchObject({ losses: [], endings: [], warnings: [] })
  })

  it('is quoted from the end of stderr without escape sequences, even incomplete ones', async () => {
    watchLoop()
    let printed = ''
    const { link } = await start('half-sequences', { onStderr: (text) => (printed += text) })
    await until(() => printed.endsWith('\n'))
    for (let time = 0; time < 10; time++) expect(link.printed).toBe('The end of its stderr:\nof red')
  })

  it('is still read after a listener for stderr has thrown', async () => {
    const onStderr = () => {
      throw new Error('broken listener')
    }
    const { link, notes } = await start('chatty', { onStderr })
    link.send(request(1))
    await notes.result(1)
    await until(() => notes.warnings.length > 0)
    expect(notes.warnings).toEqual([expect.stringContaining('broken listener')])
  })
})
