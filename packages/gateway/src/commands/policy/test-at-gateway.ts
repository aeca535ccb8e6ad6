// The rules of a file, with the tools that a running gateway has.
import { resolve } from 'node:path'
import type { JsonObject } from 'toolwire'
import { apiOf } from '../api/api.js'
import { exitCodes, misused } from '../exit-codes.js'
import { listIn, numberIn, wordIn } from '../json.js'
import type { Input } from '../spec.js'
import { visible } from '../terminal/hidden.js'
import type { Terminal } from '../terminal/terminal.js'
import { showTest } from './show-test.js'

export async function testAtGateway(file: string, input: Input, terminal: Terminal): Promise<number> {
  const { readRegular } = await import('toolwire/node')
  const bytes = await readRegular(resolve(input.cwd, file)).catch((thrown: unknown) => {
    throw misused(`${file} cannot be read: ${thrown instanceof Error ? thrown.message : String(thrown)}`)
  })
  const text = new TextDecoder().decode(bytes)
  const preview = await apiOf(input).ask('/policy/preview', { method: 'POST', body: { text } })
  const problems = listIn(preview, 'problems')
  if (problems.length > 0) {
    if (terminal.json) terminal.printJson({ file, problems })
    else
      for (const problem of problems) terminal.print(`${terminal.paint.red('wrong:')} ${visible(`${file}${placeOf(problem)}`)}`)
    return exitCodes.usage
  }
  const cases = listIn(preview, 'cases')
  const failed = cases.filter(({ ok }) => ok !== true)
  return showTest(
    {
      file,
      rules: numberIn(preview, 'rules') ?? 0,
      passed: cases.length - failed.length,
      failed: failed.map((one) => ({ message: wordIn(one, 'why') ?? wordIn(one, 'name') ?? '' })),
      missing: listIn(preview, 'missing').map((one) => ({
        message: wordIn(one, 'message') ?? '',
        isPrecaution: one.isPrecaution === true,
      })),
    },
    terminal,
  )
}

function placeOf(problem: JsonObject): string {
  const line = numberIn(problem, 'line')
  return `${line === undefined ? '' : `:${line}`}: ${wordIn(problem, 'at') ?? ''}: ${wordIn(problem, 'message') ?? ''}`
}
