// The rules of a file, with the tools that a running gateway has.
import { resolve } from 'node:path'
import type { JsonObject } from 'toolwire'
import { apiClientOf } from '../api/api-client.js'
import { type CommandInput, exitCodes, usageProblem } from '../command.js'
import { listIn, numberIn, stringIn } from '../json-members.js'
import type { Terminal } from '../terminal/terminal.js'
import { visibleText } from '../terminal/visible-text.js'
import { showTest } from './show-test.js'

export async function testAtGateway(file: string, input: CommandInput, terminal: Terminal): Promise<number> {
  const { machine } = await import('toolwire/relay')
  const bytes = await machine.readRegular(resolve(input.cwd, file)).catch((thrown: unknown) => {
    throw usageProblem(`${file} cannot be read: ${thrown instanceof Error ? thrown.message : String(thrown)}`)
  })
  const text = new TextDecoder().decode(bytes)
  const preview = await apiClientOf(input).request('/policy/preview', { method: 'POST', body: { text } })
  const problems = listIn(preview, 'problems')
  if (problems.length > 0) {
    if (terminal.json) terminal.printJson({ file, problems })
    else
      for (const problem of problems)
        terminal.print(`${terminal.paint.red('error:')} ${visibleText(`${file}${placeOf(problem)}`)}`)
    return exitCodes.usage
  }
  const cases = listIn(preview, 'cases')
  const failed = cases.filter(({ ok }) => ok !== true)
  return showTest(
    {
      file,
      rules: numberIn(preview, 'rules') ?? 0,
      passed: cases.length - failed.length,
      failed: failed.map((one) => ({ message: stringIn(one, 'why') ?? stringIn(one, 'name') ?? '' })),
      missing: listIn(preview, 'missing').map((one) => ({
        message: stringIn(one, 'message') ?? '',
        isPrecaution: one.isPrecaution === true,
      })),
    },
    terminal,
  )
}

function placeOf(problem: JsonObject): string {
  const line = numberIn(problem, 'line')
  return `${line === undefined ? '' : `:${line}`}: ${stringIn(problem, 'at') ?? ''}: ${stringIn(problem, 'message') ?? ''}`
}
