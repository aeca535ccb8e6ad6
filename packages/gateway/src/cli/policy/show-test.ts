import { exitCodes } from '../command.js'
import type { Terminal } from '../terminal/terminal.js'
import { visibleText } from '../terminal/visible-text.js'

/** How a file of rules and its cases went. */
type PolicyTestResult = {
  readonly file: string
  readonly rules: number
  readonly passed: number
  readonly failed: readonly { readonly message: string }[]
  readonly missing: readonly { readonly message: string; readonly isPrecaution: boolean }[]
}

/** Prints it, and gives the exit code. A name with a wildcard that fits nothing is told, and no failure. */
export function showTest(tested: PolicyTestResult, terminal: Terminal): number {
  const { rules, passed, failed, missing } = tested
  const isWrong = failed.length > 0 || missing.some(({ isPrecaution }) => !isPrecaution)
  if (terminal.json) terminal.printJson({ ...tested })
  else {
    for (const { message } of failed) terminal.print(`${terminal.paint.red('failed:')} ${visibleText(message)}`)
    for (const { message, isPrecaution } of missing) {
      const mark = isPrecaution ? terminal.paint.yellow('fits nothing:') : terminal.paint.red('not there:')
      terminal.print(`${mark} ${visibleText(message)}`)
    }
    const others = failed.length > 0 ? `, ${failed.length} failed` : ''
    terminal.print(`${rules} rules; ${passed} of ${passed + failed.length} cases passed${others}`)
  }
  return isWrong ? exitCodes.failed : exitCodes.ok
}
