// The bare control over stdio: writes a line, reads a line, parses once, matches by id.
import { spawn } from 'node:child_process'
import { fileURLToPath } from 'node:url'
import { add, initialize, initialized, messageText } from '../wire.js'
import { callerArguments, checkSum, takeTurns } from './turns.js'

const server = spawn(process.execPath, [fileURLToPath(new URL(callerArguments.target, import.meta.url)), 'stdio'], {
  stdio: ['pipe', 'pipe', 'inherit'],
})
const waiting = new Map<number, (answer: { result: { structuredContent: { sum: number } } }) => void>()
let rest = ''
server.stdout.setEncoding('utf8').on('data', (chunk: string) => {
  const lines = (rest + chunk).split('\n')
  rest = lines.pop() ?? ''
  for (const line of lines) {
    const answer = JSON.parse(line)
    waiting.get(answer.id)?.(answer)
    waiting.delete(answer.id)
  }
})
const message = messageText(add, '2025-11-25')
let id = 1

await new Promise((resolve) => {
  waiting.set(1, resolve)
  server.stdin.write(`${JSON.stringify(initialize)}\n`)
})
server.stdin.write(`${JSON.stringify(initialized)}\n`)

await takeTurns(async () => {
  id += 1
  const own = id
  const answer = await new Promise<{ result: { structuredContent: { sum: number } } }>((resolve) => {
    waiting.set(own, resolve)
    server.stdin.write(`${message(own)}\n`)
  })
  checkSum(answer.result.structuredContent.sum)
}, callerArguments.inFlight)
