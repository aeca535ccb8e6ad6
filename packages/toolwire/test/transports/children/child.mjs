// Server processes with different behaviours. Usage: node child.mjs <behaviour> [file]
import { spawn } from 'node:child_process'
import { appendFileSync, closeSync, writeSync } from 'node:fs'
import { createInterface } from 'node:readline'

const [, , behaviour, file] = process.argv

const say = (message) => process.stdout.write(`${JSON.stringify(message)}\n`)
const answer = (id, result) => say({ jsonrpc: '2.0', id, result })
const stay = () => setInterval(() => {}, 1_000)

function eachLine(take) {
  createInterface({ input: process.stdin }).on('line', (line) => take(JSON.parse(line), line))
}

/** Pipes accept only a part of a large text, so the rest is written again. */
function writeAll(fd, text) {
  for (let rest = Buffer.from(text); rest.length > 0; ) {
    try {
      rest = rest.subarray(writeSync(fd, rest))
    } catch (thrown) {
      if (thrown.code !== 'EAGAIN') throw thrown
    }
  }
}

const holder = () => spawn(process.execPath, ['-e', 'setInterval(() => {}, 1000)'], { stdio: 'inherit' })

const behaviours = {
  echo: () => eachLine(({ id }, line) => id !== undefined && answer(id, { line, pid: process.pid })),
  environment: () => eachLine(({ id }) => answer(id, process.env)),
  recorder: () => process.stdin.on('data', (chunk) => appendFileSync(file, chunk)),
  polite() {
    process.on('SIGTERM', () => appendFileSync(file, 'SIGTERM '))
    process.stdin.on('end', () => {
      appendFileSync(file, 'EOF ')
      setTimeout(() => {
        appendFileSync(file, 'exit ')
        process.exit()
      }, 50)
    })
    process.stdin.resume()
    answer(1, {})
  },
  stubborn() {
    process.on('SIGTERM', () => {})
    stay()
    answer(1, { pid: process.pid })
  },
  'loops-on-exit'() {
    process.on('exit', () => {
      for (;;);
    })
    process.stdin.on('end', () => process.exit()).resume()
    answer(1, { pid: process.pid })
  },
  'half-sequences'() {
    writeAll(2, `\u001b${';#'.repeat(4_000)} of \u001b[31mred\u001b[0m\n`)
    process.stdin.on('end', () => process.exit()).resume()
  },
  'exits-mid-line': () =>
    eachLine(() => {
      writeAll(2, 'the disk is \u001b[31mfull\u001b[0m\n')
      writeAll(1, '{"jsonrpc":"2.0","id":1,"result":{"half"')
      process.exit(3)
    }),
  'exits-at-once'() {
    writeAll(2, 'no configuration\n')
    process.exit(1)
  },
  'answers-and-exits': () =>
    eachLine(({ id }) => {
      writeAll(1, `${JSON.stringify({ jsonrpc: '2.0', id, result: {} })}\n`)
      process.exit(0)
    }),
  'answers-at-length-and-exits': () =>
    eachLine(({ id }) => {
      const items = Array.from({ length: 90_000 }, () => ({ some: 'words', and: 'more words' }))
      holder()
      for (const result of [{ items }, {}]) writeAll(1, `${JSON.stringify({ jsonrpc: '2.0', id: id++, result })}\n`)
      process.exit(0)
    }),
  'answers-often-and-exits': () =>
    eachLine(({ id, params }) => {
      holder()
      const lines = Array.from(
        { length: params.lines },
        (_, n) => `${JSON.stringify({ jsonrpc: '2.0', id: id + n, result: {} })}\n`,
      )
      writeAll(1, lines.join(''))
      process.exit(0)
    }),
  'closes-stdout': () =>
    eachLine(() => {
      stay()
      closeSync(1)
    }),
  garbage: () =>
    eachLine(({ id }) => {
      writeAll(1, `Listening on \u001b[1mport 3000\n\n  \r\n{"half":\n[]\n${'x'.repeat(40 * 1024 * 1024)}\n`)
      writeAll(1, `{"jsonrpc":"2.0","id":${id},"result":{}}\r\n`)
    }),
  chatty: () =>
    eachLine(({ id }) => {
      writeAll(2, 'all is well '.repeat(250_000))
      answer(id, {})
    }),
  grandchild() {
    const { pid } = holder()
    answer(1, { pid: process.pid, holder: pid })
    process.stdin.on('end', () => process.exit()).resume()
  },
  deaf() {
    stay()
    answer(1, { pid: process.pid })
  },
}

behaviours[behaviour]()
