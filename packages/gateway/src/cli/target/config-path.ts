import { usageProblem } from '../command-error.js'
import { type CommandInput, optionText } from '../command-spec.js'

/** The config that was named, as an operand or by --config; undefined where the usual places are searched. */
export function configPath(input: Pick<CommandInput, 'operands' | 'options'>): string | undefined {
  const [operand] = input.operands
  const option = optionText(input, 'config')
  if (operand !== undefined && option !== undefined && operand !== option)
    throw usageProblem(`Two configs are named: ${operand} and ${option}. Name one, as an operand or with --config`)
  return operand ?? option
}
