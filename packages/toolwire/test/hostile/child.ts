// A child process that plays one fault on its standard streams. Usage: `node child.mjs <fault> <style> <log file> <elsewhere>`
import { appendFileSync } from 'node:fs'
import type { Fault, Filling, RevisionStyle, Wire } from './fault.js'
import { faults } from './faults.js'
import { answerOf, play } from './player.js'

const [, , name, style, file = '', elsewhere = ''] = process.argv
const fault = faults.find((one) => one.name === name) as Fault
const note = (word: string) => appendFileSync(file, `${word}\n`)
const textOf = (message: unknown) => (typeof message === 'string' ? message : JSON.stringify(message))

const wire: Wire = {
  // The test passes a valid value.
  style: style as RevisionStyle,
  carrier: 'stdio',
  elsewhere,
  say: (message) => void process.stdout.write(`${textOf(message)}\n`),
  last: (message) => wire.say(message),
  answer: (ask, result) => wire.say(answerOf(wire, ask, result)),
  pour,
  note,
}

async function pour(bytes: number, { head = '', fill = 'x', tail = '' }: Filling = {}) {
  process.stdout.write(head)
  const piece = Buffer.from(fill.repeat(Math.ceil(65_536 / fill.length)))
  for (let sent = 0; sent < bytes; sent += piece.length) {
    if (!process.stdout.write(piece)) await new Promise((resolve) => process.stdout.once('drain', resolve))
  }
  process.stdout.write(`${tail}\n`)
}

let rest = ''
function take(chunk: string) {
  const lines = (rest + chunk).split('\n')
  rest = lines.pop() ?? ''
  for (const line of lines) void play(fault, wire, JSON.parse(line))
}

note(`pid ${process.pid}`)
note('started')
process.stdout.on('error', () => process.exit())
process.stdin.setEncoding('utf8').on('data', take)
process.stdin.on('end', () => (fault.on?.eof ? fault.on.eof(wire, {}) : process.exit()))
fault.on?.start?.(wire, {})
