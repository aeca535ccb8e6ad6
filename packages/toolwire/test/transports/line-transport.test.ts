// The client side of line-based transports, over pairs of streams.
import { once } from 'node:events'
import { mkdtempSync, rmSync } from 'node:fs'
import { createServer, connect as dialSocket, type Server } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { PassThrough, Writable } from 'node:stream'
import { describe, expect, it, vi } from 'vitest'
import { WarningLimiter } from '../../src/bounds/warning-limiter.js'
import { revisions } from '../../src/revisions/index.js'
import { lineTransport } from '../../src/transports/stdio/client/line-transport.js'
import { serveLines } from '../../src/transports/stdio/server/serve-lines.js'
import { expectWithin, howMany } from '../soak.js'
import { Notes, request } from './child-fixture.js'
import { call, fixture, initialize, initialized, until } from './fixture.js'
import { linesEndpoint } from './lines-endpoint.js'

function open(options = {}) {
  const readable = new PassThrough()
  const writable = new PassThrough()
  const notes = new Notes()
  const link = lineTransport({ readable, writable }, notes, options)
  const written = () => String(writable.read() ?? '')
  return { link, notes, readable, writable, written }
}

const answer = (id: number) => `{"jsonrpc":"2.0","id":${id},"result":{}}\n`

describe('lines to a server', () => {
  it('are written together if they are ready in the same tick, even by promises', async () => {
    const writes: string[] = []
    const writable = new Writable({
      write(chunk, _encoding, done) {
        writes.push(String(chunk))
        done()
      },
    })
    const link = lineTransport({ readable: new PassThrough(), writable }, new Notes())
    link.send(request(1))
    await Promise.resolve().then(() => link.send(request(2)))
    link.send(request(3))
    await expect.poll(() => writes).toEqual([[1, 2, 3].map((id) => `${request(id).text}\n`).join('')])
  })

  it('that are unsent when the connection ends fail as unsent', async () => {
    const { link, notes, readable } = open()
    readable.destroy(new Error('reset'))
    await until(() => notes.endings.length === 1)
    link.send(request(1))
    await expect.poll(() => notes.losses).toMatchObject([{ id: 1, why: { sent: false } }])
    expect(notes.endings).toMatchObject([{ code: 'broken', sent: true, message: 'The connection has ended: reset' }])
  })

  it('cause no reports after the transport is closed', async () => {
    const { link, notes, readable, written } = open({ graceMs: 20 })
    link.send(request(1))
    const closed = link.close()
    link.send(request(2))
    readable.write(answer(1))
    await closed
    await new Promise((resolve) => setTimeout(resolve, 5))
    expect(written()).toBe(`${request(1).text}\n`)
    expect(notes).toMatchObject({ messages: [], losses: [], endings: [], warnings: [] })
    expect(readable.destroyed).toBe(true)
  })
})

describe('lines from a server', () => {
  it('are read for any chunks', async () => {
    const { notes, readable } = open()
    for (const byte of Buffer.from(answer(1) + answer(2).trim())) readable.write(Buffer.of(byte))
    readable.end()
    await until(() => notes.endings.length === 1)
    // The second line has no end, so it is incomplete.
    expect(notes.answers().map(({ id }) => id)).toEqual([1])
  })

  it('may be batches only if the revision has them', async () => {
    const { link, notes, readable } = open()
    const batch = `[${answer(1).trim()},${answer(2).trim()}]\n`
    readable.write(batch)
    await until(() => notes.warnings.length === 1)
    expect(notes.messages).toEqual([])
    void link.settled(revisions.find(({ batching }) => batching)!)
    readable.write(batch)
    await until(() => notes.messages.length === 2)
  })

  it('that are invalid responses fail the pending request', async () => {
    const { notes, readable } = open()
    readable.write('{"jsonrpc":"2.0","id":5,"result":"text"}\n')
    await until(() => notes.losses.length === 1)
    expect(notes.losses).toMatchObject([{ id: 5, why: { code: 'garbage', sent: true } }])
  })

  it('are skipped by the thousand with few warnings, and yield to other work', async () => {
    const { notes, readable } = open()
    let longest = 0
    let last = performance.now()
    const ticking = setInterval(() => {
      longest = Math.max(longest, performance.now() - last)
      last = performance.now()
    }, 1)
    const lines = howMany(4_096, 32_768)
    for (let n = 0; n < 4; n++) readable.write('{\n'.repeat(lines))
    readable.end(answer(1))
    await until(() => notes.endings.length === 1)
    clearInterval(ticking)
    expect(notes.answers()).toHaveLength(1)
    expect(notes.warnings).toHaveLength(21)
    expect(notes.warnings.at(-1)).toBe(`${4 * lines - 20} more warnings were not shown`)
    expectWithin(longest, 150)
  })
})

describe('lines of a server that stops reading', () => {
  it('are all heard, however busy the client is', async () => {
    const { notes, readable, writable } = open()
    const lines = 10_000
    const busy = setInterval(() => {
      for (const until = performance.now() + 60; performance.now() < until; );
    })
    readable.write(answer(1).repeat(lines))
    writable.destroy()
    await until(() => notes.endings.length === 1)
    clearInterval(busy)
    expect(notes.messages).toHaveLength(lines)
  })

  it('are read for a limited time if they never end', async () => {
    vi.useFakeTimers({ toFake: ['setTimeout', 'performance'] })
    try {
      const { notes, readable, writable } = open()
      const flood = () => void (notes.endings.length === 0 && readable.write(answer(1), () => setImmediate(flood)))
      flood()
      readable.pause()
      writable.destroy()
      for (let passedMs = 0; notes.endings.length === 0; passedMs += 200) {
        expect(passedMs).toBeLessThan(61_000)
        await vi.advanceTimersByTimeAsync(200)
        await new Promise(setImmediate)
      }
    } finally {
      vi.useRealTimers()
    }
  })
})

describe('warnings', () => {
  it('are printed up to a limit per minute, and then counted', () => {
    const printed: string[] = []
    let now = 0
    const warnings = new WarningLimiter((text) => printed.push(text), { perMinute: 2, now: () => now })
    for (let n = 0; n < 5; n++) warnings.add(() => `${n}`)
    now = 60_000
    warnings.add(() => 'next')
    warnings.flush()
    expect(printed).toEqual(['0', '1', '3 more warnings were not shown', 'next'])
  })
})

describe('a server behind a socket', () => {
  const folder = mkdtempSync(join(tmpdir(), 'toolwire-lines-'))
  const path = process.platform === 'win32' ? '\\\\.\\pipe\\toolwire-lines' : join(folder, 'socket')
  const dial = async () => {
    const socket = dialSocket(path)
    await once(socket, 'connect')
    return { readable: socket, writable: socket }
  }

  async function listening(): Promise<Server> {
    const { app } = fixture()
    const server = createServer((socket) => void serveLines(app, { readable: socket, writable: socket }))
    server.listen(path)
    await once(server, 'listening')
    return server
  }

  it('can be connected, called, closed and connected again', async () => {
    const server = await listening()
    const way = linesEndpoint(dial, { name: 'socket' })
    for (let round = 0; round < 2; round++) {
      const notes = new Notes()
      const link = await way.dial(notes)
      for (const message of [initialize('2025-11-25', {}, 1), initialized, call(2, 'echo', { text: 'hi' })]) {
        link.send({ text: JSON.stringify(message), method: message.method, revision: undefined })
      }
      expect((await notes.result(2)).content).toMatchObject([{ text: 'hi' }])
      await link.close()
      expect(notes).toMatchObject({ endings: [], warnings: [] })
    }
    server.close()
    await once(server, 'close')
    rmSync(folder, { recursive: true })
  })
})
