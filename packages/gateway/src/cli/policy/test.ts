import { resolve } from 'node:path'
import type { JsonObject } from 'toolwire'
import { loadRules, RulesError, runCases } from 'toolwire/rules'
import { unreadable } from '../../config/documents/read-document.js'
import { apiClientOf } from '../api/api-client.js'
import { type CommandInput, exitCodes, type RunCommand, usageProblem } from '../command.js'
import { listIn, numberIn, stringIn } from '../json-members.js'
import { countOf } from '../output/count.js'
import type { Terminal } from '../terminal/terminal.js'
import { visibleText } from '../terminal/visible-text.js'
import { knownNamesFor } from './known-names.js'

export const run: RunCommand = async (input, terminal) => {
  const [file = ''] = input.operands
  if (input.options.gateway !== undefined) return testAtGateway(file, input, terminal)
  try {
    const { toolsFor, check, missing } = await knownNamesFor(file, input, terminal)
    const book = await loadRules(resolve(input.cwd, file), { cases: 'ignore', toolsFor, ...(check && { check }) })
    const { passed, failed } = runCases(book, undefined, { toolsFor })
    terminal.say(terminal.paint.dim('Names of tools were not checked. Check them with --gateway, while the gateway runs'))
    return showTest(terminal, {
      ...{ file, rules: book.set.rules.length, passed, missing: missing(book) },
      failed: failed.map(({ index, message, explanation }) => ({ index, message, explanation })),
    })
  } catch (thrown) {
    if (!terminal.json || !(thrown instanceof RulesError)) throw thrown
    terminal.printJson({ file, problems: thrown.problems })
    return exitCodes.usage
  }
}

/** The text of a rules file, for a gateway that reads it. */
export async function rulesTextOf(file: string, { cwd }: CommandInput): Promise<string> {
  const { machine } = await import('toolwire/relay')
  return machine.readRegularText(resolve(cwd, file)).catch((thrown: unknown) => {
    throw usageProblem(`${file} ${unreadable(thrown)}`)
  })
}

/** Tests the rules against the tools of a running gateway. */
async function testAtGateway(file: string, input: CommandInput, terminal: Terminal): Promise<number> {
  const text = await rulesTextOf(file, input)
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
  const rules = numberIn(preview, 'rules') ?? 0
  return showTest(terminal, {
    ...{ file, rules, passed: cases.length - failed.length },
    failed: failed.map((one) => ({ message: stringIn(one, 'why') ?? stringIn(one, 'name') ?? '' })),
    missing: listIn(preview, 'missing').map((one) => ({
      message: stringIn(one, 'message') ?? '',
      isPrecaution: one.isPrecaution === true,
    })),
  })
}

function placeOf(problem: JsonObject): string {
  const line = numberIn(problem, 'line')
  return [line === undefined ? '' : `:${line}`, stringIn(problem, 'at') || undefined, stringIn(problem, 'message')]
    .filter((part) => part !== undefined)
    .join(': ')
}

type PolicyTestResult = {
  readonly file: string
  readonly rules: number
  readonly passed: number
  readonly failed: readonly { readonly message: string }[]
  readonly missing: readonly { readonly message: string; readonly isPrecaution: boolean }[]
}

/** Prints the result, and returns the exit code. A wildcard that matches nothing is reported, but is no failure. */
function showTest(terminal: Terminal, tested: PolicyTestResult): number {
  const { rules, passed, failed, missing } = tested
  const isWrong = failed.length > 0 || missing.some(({ isPrecaution }) => !isPrecaution)
  if (terminal.json) terminal.printJson({ ...tested })
  else {
    for (const { message } of failed) terminal.print(`${terminal.paint.red('failed:')} ${visibleText(message)}`)
    for (const { message, isPrecaution } of missing) {
      const mark = isPrecaution ? terminal.paint.yellow('matches nothing:') : terminal.paint.red('no effect:')
      terminal.print(`${mark} ${visibleText(message)}`)
    }
    const others = failed.length > 0 ? `, ${failed.length} failed` : ''
    terminal.print(`${countOf(rules, 'rule')}; ${passed} of ${passed + failed.length} cases passed${others}`)
  }
  return isWrong ? exitCodes.failed : exitCodes.ok
}
