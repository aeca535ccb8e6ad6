// Floods of lines: other work gets its turn between them, and each line is delivered, also the last.
import { once } from 'node:events'
import { PassThrough } from 'node:stream'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { localUser } from '../../src/tools/caller.js'
import { duplexChannel } from '../../src/transports/duplex-channel.js'
import { messageIntake } from '../../src/transports/message-intake.js'
import { lineTransport } from '../../src/transports/stdio/client/line-transport.js'
import { outbox } from '../../src/transports/stdio/server/outbox.js'
import { serveLines } from '../../src/transports/stdio/server/serve-lines.js'
import { Notes } from './child-fixture.js'
import { call, fixture, initialize, initialized, until } from './fixture.js'

const { app } = fixture()

/** Sends the chunks, and returns the responses in the order of their arrival. */
async function answersTo(chunks: readonly Buffer[]): Promise<string[]> {
  const readable = new PassThrough({ highWaterMark: 1 << 26 })
  const writable = new PassThrough()
  const written: Buffer[] = []
  writable.on('data', (piece: Buffer) => written.push(piece))
  const served = serveLines(app, { readable, writable })
  for (const chunk of chunks) readable.write(chunk)
  readable.end()
  await served
  return Buffer.concat(written).toString().split('\n').slice(0, -1)
}

const lines = fc.constantFrom(...['1', '{}', '[]', 'x', '', ' ', '\r', '{"jsonrpc":"2.0","id":1,"method":"ping"}', '"\ud800"'])

describe('a flood of lines at a client', () => {
  it('is read completely before the end of the stream is reported', async () => {
    const messages: unknown[] = []
    const readable = new PassThrough({ highWaterMark: 1 << 26 })
    const count = 20_000
    const over = new Promise<number>((resolve) => {
      const listener = {
        hear: (message: unknown) => void messages.push(message),
        ended: () => resolve(messages.length),
        lost: () => undefined,
        warn: () => undefined,
      }
      lineTransport({ readable, writable: new PassThrough() }, listener)
    })
    readable.end('{"jsonrpc":"2.0","method":"notifications/tools/list_changed"}\n'.repeat(count))
    expect(await over).toBe(count)
  })

  it('is heard in order if the stream is resumed from outside, as Node does with the output of a child that has ended', async () => {
    const readable = new PassThrough({ highWaterMark: 1 << 26 })
    const notes = new Notes()
    lineTransport({ readable, writable: new PassThrough() }, notes)
    const count = 20_000
    const lines = Array.from({ length: count }, (_, id) => `{"jsonrpc":"2.0","id":${id},"result":{}}\n`)
    readable.on('pause', () => process.nextTick(() => readable.resume()))
    for (let at = 0; at < count; at += count / 4) readable.write(lines.slice(at, at + count / 4).join(''))
    readable.end()
    await until(() => notes.endings.length === 1)
    expect(notes.answers().map(({ id }) => id)).toEqual(Array.from(lines.keys()))
  })
})

describe('a flood of lines at a server', () => {
  it.each(['1', '{}', '{"jsonrpc":"2.0","id":7,"method":"ping"}'])('yields to other work (%s)', async (line) => {
    let turns = 0
    let isOver = false
    const turn = () => {
      turns++
      if (!isOver) setImmediate(turn)
    }
    setImmediate(turn)
    const count = 20_000
    expect(await answersTo([Buffer.from(`${line}\n`.repeat(count))])).toHaveLength(count)
    isOver = true
    // Without yielding, there would be only a few turns.
    expect(turns).toBeGreaterThan(8)
  })

  it('is answered line by line, for any chunks', () =>
    fc.assert(
      fc.asyncProperty(
        fc.array(lines, { minLength: 1, maxLength: 20 }),
        fc.integer({ min: 1, max: 40 }),
        async (picked, size) => {
          const some = picked.map((line, at) => line.replace('"id":1', `"id":${at}`))
          const whole = Buffer.from(some.map((line) => `${line}\n`).join(''))
          const cut = Array.from({ length: Math.ceil(whole.length / size) }, (_, at) =>
            whole.subarray(at * size, at * size + size),
          )
          const alone = await Promise.all(some.map((line) => answersTo([Buffer.from(`${line}\n`)])))
          expect((await answersTo(cut)).toSorted()).toEqual(alone.flat().toSorted())
        },
      ),
    ))
})

it('long responses that are ready at the same time are written separately, and short ones together', () => {
  const writes: string[] = []
  const outlet = { write: (chunk: unknown) => writes.push(String(chunk)) > 0, cork() {}, uncork() {}, writableLength: 0 }
  const { send, flush } = outbox(outlet, 1_000_000, () => {})
  const long = 'x'.repeat(40_000)
  for (const body of ['1', '2', '3']) send(body)
  flush()
  for (const body of [long, long, long]) send(body)
  flush()
  for (const body of ['4', '5']) send(body)
  flush()
  expect(writes).toEqual(['1\n2\n3\n', long, '\n', long, '\n', long, '\n', '4\n5\n'])
})

describe('a long message', () => {
  const long = { pad: 'x'.repeat(300_000) }
  const opened = () => {
    const { app: fresh, seen } = fixture()
    const answers: { id: unknown }[] = []
    const channel = duplexChannel(fresh['~application'], localUser, (body) => answers.push(JSON.parse(String(body))))
    const say = (message: object) => channel.take(JSON.stringify(message))
    say(initialize('2025-11-25'))
    say(initialized)
    return { channel, say, seen, answered: () => answers.map(({ id }) => id).filter((id) => id !== 'init') }
  }

  it('is answered after other work, and later messages do not overtake it', async () => {
    const { channel, say, seen, answered } = opened()
    const order: string[] = []
    say(call(1, 'echo', { text: 'first' }, long))
    setImmediate(() => order.push(`other work, ${seen.ran} calls`))
    say(call(2, 'slow', { ms: 2_000 }, long))
    say({ jsonrpc: '2.0', method: 'notifications/cancelled', params: { requestId: 2 } })
    say(call(3, 'echo', { text: 'last' }))
    await channel.idle()
    expect(order).toEqual(['other work, 0 calls'])
    expect([answered(), channel.behind]).toEqual([[1, 3], undefined])
  })

  it('is ignored if its client has disconnected', async () => {
    const { channel, say, seen, answered } = opened()
    say(call(1, 'echo', { text: 'x' }, long))
    channel.leave()
    await channel.idle()
    expect([seen.ran, answered()]).toEqual([0, []])
  })
})

describe('a long message of a server', () => {
  const items = JSON.stringify(Array.from({ length: 90_000 }, (_, id) => ({ id })))
  const long = (id: number) => `{"jsonrpc":"2.0","id":${id},"result":{"items":${items}}}`
  const short = (id: number) => `{"jsonrpc":"2.0","id":${id},"result":{}}`

  const opened = () => {
    const readable = new PassThrough({ highWaterMark: 1 << 26 })
    const order: unknown[] = []
    const notes = new Notes()
    readable.once('data', () => setImmediate(() => order.push('other work')))
    const transport = lineTransport(
      { readable, writable: new PassThrough() },
      {
        hear: (message) => order.push(message.kind === 'response' && message.response.id),
        ended: () => order.push('end'),
        lost: (id) => order.push(`lost ${id}`),
        warn: (text) => notes.warn(text),
      },
      { graceMs: 20 },
    )
    const messages = () => order.filter((item) => item !== 'other work')
    return { readable, order, messages, transport, notes }
  }

  it('is heard after other work, in its place, and before the end of the stream', async () => {
    const { readable, order, messages } = opened()
    readable.end([short(1), long(2), short(3), long(4), short(5), ''].join('\n'))
    await until(() => order.includes('end'))
    expect(messages()).toEqual([1, 2, 3, 4, 5, 'end'])
    // The turn of the first long message may have begun before the other work.
    expect(order.indexOf('other work')).toBeLessThan(order.indexOf(3))
  })

  it('keeps its place however the stream is cut', async () => {
    const { readable, order, messages } = opened()
    const bytes = Buffer.from([long(1), short(2), long(3), short(4), ''].join('\n'))
    for (let at = 0; at < bytes.length; at += 65_536) readable.write(bytes.subarray(at, at + 65_536))
    readable.end()
    await until(() => order.includes('end'))
    expect(messages()).toEqual([1, 2, 3, 4, 'end'])
  })

  it('is heard although the server reads no more', async () => {
    const readable = new PassThrough({ highWaterMark: 1 << 26 })
    const writable = new PassThrough()
    const notes = new Notes()
    lineTransport({ readable, writable }, notes)
    writable.destroy()
    for (let id = 1; id <= 6; id++) readable.write(`${long(id)}\n`)
    await until(() => notes.endings.length === 1)
    expect(notes.answers().map(({ id }) => id)).toEqual([1, 2, 3, 4, 5, 6])
  })

  it('ends its request if it is invalid, after the answers before it', async () => {
    const { readable, order, messages, notes } = opened()
    readable.end(`${long(1)}\n{"jsonrpc":"2.0","id":2,"result":${items}}\n${short(3)}\n`)
    await until(() => order.includes('end'))
    expect(messages()).toEqual([1, 'lost 2', 3, 'end'])
    expect(notes.warnings).toHaveLength(1)
  })

  it('is not heard once the connection is closed', async () => {
    const { readable, messages, transport } = opened()
    const arrived = once(readable, 'data')
    readable.write(`${long(1)}\n${short(2)}\n`)
    await arrived
    await transport.close()
    // Another one, of which the reading begins later.
    const later = opened()
    later.readable.end(`${long(1)}\n`)
    await until(() => later.order.includes('end'))
    expect(messages()).toEqual([])
  })

  it('is heard after other work from a server in memory as well', async () => {
    const notes = new Notes()
    const intake = messageIntake(notes)
    intake.takeText(long(1))
    intake.takeText(short(2))
    const answeredIds = () => notes.answers().map(({ id }) => id)
    expect(answeredIds()).toEqual([])
    await new Promise((resolve) => setImmediate(resolve))
    expect(answeredIds()).not.toContain(2)
    await until(() => answeredIds().length === 2)
    expect(answeredIds()).toEqual([1, 2])
  })
})
