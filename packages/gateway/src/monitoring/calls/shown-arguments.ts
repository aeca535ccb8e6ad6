import type { JsonObject } from 'toolwire'
import type { ToolCall } from 'toolwire/guard'
import { type RulesPolicy, rules } from 'toolwire/rules'
import type { PolicyFile } from '../../guard/policy/policy-file.js'
import { truncateArguments } from './truncate-arguments.js'

/** The arguments as they may be shown in passing. */
export const shownArguments = (call: ToolCall): JsonObject => ({ ...truncateArguments(call.arguments) })

/** The same without what the rules in force call a secret. */
export function redactedArgumentsBy(policy: PolicyFile): typeof shownArguments {
  const { redact }: RulesPolicy = rules(policy)
  return (call) => {
    const shown = truncateArguments(call.arguments)
    // The rules are JSON about JSON: what they leave is there at once.
    return { ...shown, arguments: redact({ ...call, arguments: shown.arguments }) as JsonObject }
  }
}
