// Misbehaving child processes. Rows 13 and 14.
import { spawn } from 'node:child_process'
import { closeSync } from 'node:fs'
import { alike, type Fault, pause, text, type Wire } from '../fault.js'

const soon = { fails: 'outcome_unknown', withinMs: 400, seen: { 'call:bad': 1 } } as const

/** A grandchild that keeps the streams open after its parent has exited. */
function leaveGrandchild(wire: Wire): void {
  const { pid } = spawn('sleep', ['30'], { stdio: ['ignore', 'inherit', 'inherit'] })
  wire.note(`pid ${pid}`)
}

const ending: readonly Fault[] = [
  { name: 'a child that ends when called', on: { bad: () => process.exit(3) }, shows: soon },
  {
    name: 'a child that ends in the middle of a line',
    ids: 'SECC-010',
    on: { bad: () => process.stdout.write('{"jsonrpc":"2.0","id":', () => process.exit(0)) },
    shows: soon,
  },
  { name: 'a child that is killed', on: { bad: () => process.kill(process.pid, 'SIGKILL') }, shows: soon },
  { name: 'a child that closes its output', on: { bad: () => closeSync(1) }, shows: { ...soon, withinMs: 1_500 } },
  {
    name: 'a child that ends and leaves a grandchild with its pipes',
    on: {
      bad: (wire) => {
        leaveGrandchild(wire)
        process.exit(0)
      },
    },
    shows: soon,
  },
  {
    name: 'a child that ends at every call',
    on: { bad: () => process.exit(3) },
    does: async (client) => {
      const codes = []
      for (let call = 0; call < 12; call++) codes.push(await client.call('bad').catch(({ code }) => code))
      return codes.map((code) => code === 'outcome_unknown').lastIndexOf(true)
    },
    // The fifth call is the last that reaches the child for a while.
    shows: { gives: 4, seen: { started: 5, 'call:bad': 5 }, afterwards: 'unasked' },
  },
  {
    name: 'a child that ends again and again',
    on: { start: () => process.exit(1) },
    shows: { fails: 'disconnected', withinMs: 2_500 },
  },
]

const staying: readonly Fault[] = [
  {
    name: 'a child that ignores the end of its input and SIGTERM',
    on: {
      start: () => {
        process.on('SIGTERM', () => undefined)
        setInterval(() => undefined, 1_000)
      },
      eof: () => undefined,
    },
    shows: { gives: 'ok' },
  },
  {
    name: 'a child with a grandchild',
    on: {
      start: leaveGrandchild,
      eof: () => undefined,
    },
    shows: { gives: 'ok' },
  },
  {
    name: 'a child that is stopped and resumed later',
    on: {
      bad: (wire, ask) => {
        // A stopped process cannot resume itself, so another process does.
        spawn('sh', ['-c', `sleep 0.6; kill -CONT ${process.pid}`], { stdio: 'ignore', detached: true })
        process.kill(process.pid, 'SIGSTOP')
        wire.answer(ask, text('late'))
      },
    },
    does: async (client) => client.call('bad', {}, { idleMs: 300 }).finally(() => pause(700)),
    shows: { fails: 'outcome_unknown' },
  },
]

const chatty: readonly Fault[] = [
  {
    name: 'lines on stdout that are no messages',
    on: {
      bad: (wire, ask) => {
        for (const line of ['Server started', '', '\u001b[31mred\u001b[0m', '\u0000\u0000', '[1,2', '{"half":']) wire.say(line)
        process.stdout.write(Buffer.from([0xff, 0xfe, 0x0a]))
        wire.answer(ask, text('ok'))
      },
    },
    shows: { gives: 'ok', warns: /Server started/ },
  },
  {
    name: 'messages with carriage returns and blanks around them',
    on: { bad: (wire, ask) => wire.say(`  ${JSON.stringify({ jsonrpc: '2.0', id: ask.id, result: text('ok') })} \r`) },
    style: 'handshake',
    shows: { gives: 'ok' },
  },
  {
    name: 'a last message without a newline',
    on: {
      bad: (wire, ask) => {
        const answer = JSON.stringify({ jsonrpc: '2.0', id: ask.id, result: text('cut') })
        process.stdout.write(answer, () => process.exit(0))
        wire.note('said')
      },
    },
    shows: { fails: 'outcome_unknown', withinMs: 400 },
  },
]

export const children = alike({ rows: [13, 14], over: 'stdio' }, [...ending, ...staying, ...chatty])
