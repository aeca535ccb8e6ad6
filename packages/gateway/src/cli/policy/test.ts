import { loadRules, RulesError, runCases } from 'toolwire/rules'
import { exitCodes, type RunCommand } from '../command.js'
import { knownNamesFor } from './known-names.js'
import { showTest } from './show-test.js'

export const run: RunCommand = async (input, terminal) => {
  const [file = ''] = input.operands
  if (input.options.gateway !== undefined) return (await import('./test-at-gateway.js')).testAtGateway(file, input, terminal)
  try {
    const { toolsFor, check, missing } = await knownNamesFor(file, input, terminal)
    const book = await loadRules(file, { cases: 'ignore', toolsFor, ...(check && { check }) })
    const { passed, failed } = runCases(book, undefined, { toolsFor })
    return showTest(
      {
        file,
        rules: book.set.rules.length,
        passed,
        failed: failed.map(({ index, message, explanation }) => ({ index, message, explanation })),
        missing: missing(book),
      },
      terminal,
    )
  } catch (thrown) {
    if (!terminal.json || !(thrown instanceof RulesError)) throw thrown
    terminal.printJson({ file, problems: thrown.problems })
    return exitCodes.usage
  }
}
