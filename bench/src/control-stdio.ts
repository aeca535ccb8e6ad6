// The bare stdio control: reads lines, and parses, answers and writes each.
import { type Asked, answerOf } from './control-answers.js'

let rest = ''

process.stdin.setEncoding('utf8')
process.stdin.on('data', (chunk: string) => {
  const lines = (rest + chunk).split('\n')
  rest = lines.pop() ?? ''
  for (const line of lines) {
    const asked: Asked = JSON.parse(line)
    if (asked.id !== undefined) process.stdout.write(`${answerOf(asked)}\n`)
  }
})
