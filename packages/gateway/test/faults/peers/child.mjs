// A program that plays a script on its standard streams. node child.mjs <script> <style> <file for its notes>
import { appendFileSync } from 'node:fs'
import { scripts } from './child-scripts.mjs'
import { complete, play, response } from './player.mjs'

const [name = 'none', style = 'per-request', file] = process.argv.slice(2)
const script = scripts[name]
const textOf = (message) => (typeof message === 'string' ? message : JSON.stringify(message))

const wire = {
  ...{ style, file },
  note: (word) => file && appendFileSync(file, `${word}\n`),
  say: (message) => process.stdout.write(`${textOf(message)}\n`),
  last: (message) => wire.say(message),
  answer: (ask, result) => wire.say(response(ask.id, complete(style, result))),
  async pour(bytes) {
    const piece = Buffer.alloc(65_536, 'x')
    for (let sent = 0; sent < bytes; sent += piece.length) {
      if (!process.stdout.write(piece)) await new Promise((resolve) => process.stdout.once('drain', resolve))
    }
    process.stdout.write('\n')
  },
}

let rest = ''
process.stdin.setEncoding('utf8').on('data', (chunk) => {
  const lines = (rest + chunk).split('\n')
  rest = lines.pop() ?? ''
  for (const line of lines) void play(script, wire, JSON.parse(line))
})
process.stdin.on('end', () => (script.end ? script.end(wire) : process.exit()))
process.stdout.on('error', () => process.exit())
wire.note(`pid ${process.pid}`)
script.start?.(wire)
