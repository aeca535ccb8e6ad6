// Scripts of a misbehaving child process, by name. Methods without an entry behave correctly.
import { spawn } from 'node:child_process'
import { flood, pause, text } from './player.mjs'

/** The time on a clock that all processes share. */
const moment = () => String(process.hrtime.bigint())

function grandchild(wire) {
  const { pid } = spawn('sleep', ['300'], { stdio: ['ignore', 'inherit', 'inherit'] })
  wire.note(`pid ${pid}`)
}

/** Holds calls; a later call ends the process meanwhile. */
const ending = (end) => ({
  bad(wire, { params }) {
    if (params.arguments.end) end(wire)
    else wire.note('held')
  },
})

export const scripts = {
  none: {},
  'exits-mid-line': ending((wire) =>
    process.stdout.write('{"jsonrpc":"2.0","id":', () => {
      wire.note(`ended ${moment()}`)
      process.exit(0)
    }),
  ),
  exits: ending((wire) => {
    wire.note(`ended ${moment()}`)
    process.exit(3)
  }),
  'exits-with-grandchild': ending((wire) => {
    grandchild(wire)
    wire.note(`ended ${moment()}`)
    process.exit(0)
  }),
  'never-stays': { start: () => process.exit(1) },
  'ends-at-each-call': { bad: () => process.exit(3) },
  stubborn: {
    start(wire) {
      process.on('SIGTERM', () => wire.note('SIGTERM'))
      grandchild(wire)
      setInterval(() => undefined, 1_000)
    },
    end: () => undefined,
  },
  garbage: {
    async bad(wire, ask) {
      for (const line of ['Server started', '', '\u001b[31mred\u001b[0m', '\u0000\u0000', '[1,2', '{"half":']) wire.say(line)
      process.stdout.write(Buffer.from([0xff, 0xfe, 0x0a]))
      await flood(5_000, 500, () => wire.say('{"not":"a message"}'))
      wire.answer(ask, text('ok'))
    },
  },
  'long-line': {
    async bad(wire, ask) {
      await wire.pour(ask.params.arguments.bytes)
      wire.answer(ask, text('ok'))
    },
  },
  'answers-twice': {
    bad(wire, ask) {
      wire.answer(ask, text('right'))
      wire.answer(ask, text('wrong'))
    },
  },
  /** Answers after the call was cancelled. */
  late: {
    bad(wire, ask) {
      wire.note('held')
      wire.held = ask
    },
    async 'notifications/cancelled'(wire) {
      await pause(50)
      wire.answer(wire.held, text('late'))
      wire.note('answered')
    },
  },
  /** Holds calls until they are cancelled. */
  holds: { bad: () => undefined },
  /** Sends many large notifications before it answers. */
  chatty: {
    bad(wire, ask) {
      const { bytes, times } = ask.params.arguments
      for (let at = 0; at < times; at++) {
        const params = { level: 'info', data: 'x'.repeat(bytes) }
        wire.say({ jsonrpc: '2.0', method: 'notifications/message', params })
      }
      wire.answer(ask, text('said'))
      wire.note('said')
    },
  },
  big: { bad: (wire, ask) => wire.answer(ask, text('x'.repeat(ask.params.arguments.bytes))) },
  /** Completes each call and notes it in a file. */
  writes: {
    bad(wire, ask) {
      wire.note(`done ${ask.params.arguments.id}`)
      wire.answer(ask, text(`done ${ask.params.arguments.id}`))
    },
  },
}
