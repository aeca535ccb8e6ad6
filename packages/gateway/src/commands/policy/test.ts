import { loadRules, RulesError, runCases } from 'toolwire/rules'
import { exitCodes } from '../exit-codes.js'
import type { Run } from '../spec.js'
import { visible } from '../terminal/hidden.js'

export const run: Run = async ({ operands: [file = ''] }, terminal) => {
  try {
    const book = await loadRules(file, { cases: 'ignore' })
    const { passed, failed } = runCases(book)
    const rules = book.set.rules.length
    if (terminal.json)
      terminal.printJson({
        file,
        rules,
        passed,
        failed: failed.map(({ index, message, explanation }) => ({ index, message, explanation })),
      })
    else {
      for (const { message } of failed) terminal.print(`${terminal.paint.red('does not hold:')} ${visible(message)}`)
      terminal.print(
        `${rules} rules; of ${passed + failed.length} cases ${passed} hold${failed.length > 0 ? `, and ${failed.length} do not` : ''}`,
      )
    }
    return failed.length > 0 ? exitCodes.failed : exitCodes.ok
  } catch (thrown) {
    if (!terminal.json || !(thrown instanceof RulesError)) throw thrown
    terminal.printJson({ file, problems: thrown.problems })
    return exitCodes.usage
  }
}
