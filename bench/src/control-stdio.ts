// The bare stdio control, as one would write it: lines in, one parse, one answer, one write for each.
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
