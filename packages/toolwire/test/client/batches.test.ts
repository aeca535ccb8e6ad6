// Batches that a server sends. Their messages share the limits of single messages.
import { PassThrough } from 'node:stream'
import { expect, it } from 'vitest'
import { IncomingQuestions } from '../../src/client/questions/incoming-questions.js'
import { revisions } from '../../src/revisions/index.js'
import { lineTransport } from '../../src/transports/stdio/client/line-transport.js'
import { Notes } from '../transports/child-fixture.js'
import { until } from '../transports/fixture.js'

const questions = (count: number) =>
  Array.from({ length: count }, (_, id) => ({ jsonrpc: '2.0', id: `q${id}`, method: 'sampling/createMessage' }))

function open() {
  const readable = new PassThrough()
  const notes = new Notes()
  const link = lineTransport({ readable, writable: new PassThrough() }, notes)
  void link.settled(revisions.find(({ batching }) => batching)!)
  return { readable, notes }
}

it('64 of a thousand questions in one batch are answered, and the others are refused', async () => {
  const { readable, notes } = open()
  let asked = 0
  const refused: string[] = []
  const incoming = new IncomingQuestions({
    asked: () => {
      asked++
      return new Promise(() => undefined)
    },
    respond: (text) => refused.push(text),
    partyOf: () => undefined,
    clocks: () => [],
  })
  readable.write(`${JSON.stringify(questions(1_000))}\n`)
  await until(() => notes.messages.length === 1_000)
  for (const message of notes.messages) if (message.kind === 'request') incoming.take(message.request)
  expect([asked, refused.length]).toEqual([64, 936])
  expect(refused.filter((text) => !text.includes('Too many questions at once'))).toEqual([])
})

it('a batch of more than a thousand messages is skipped whole, with one warning', async () => {
  const { readable, notes } = open()
  readable.write(`${JSON.stringify(questions(1_001))}\n`)
  await until(() => notes.warnings.length === 1)
  expect(notes.messages).toEqual([])
})
