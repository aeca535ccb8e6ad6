import type { JsonObject } from 'toolwire'
import type { ToolCall } from 'toolwire/guard'
import type { ruleParts } from 'toolwire/relay'
import { type RulesPolicy, rules } from 'toolwire/rules'
import { truncateArguments } from './truncate-arguments.js'

/** The arguments as they may be shown in passing. */
export type ShownArguments = (call: ToolCall) => JsonObject

/** Without what the rules in force call a secret. */
export function redactedArgumentsBy(policy: ruleParts.RulesSource): ShownArguments {
  const { redact }: RulesPolicy = rules(policy)
  return (call) => {
    const shown = truncateArguments(call.arguments)
    // The rules are JSON about JSON: what they leave is there at once.
    return { ...shown, arguments: redact({ ...call, arguments: shown.arguments }) as JsonObject }
  }
}
