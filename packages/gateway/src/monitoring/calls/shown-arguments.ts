import type { JsonObject } from 'toolwire'
import type { ToolCall } from 'toolwire/guard'
import type { ruleParts } from 'toolwire/relay'
import { type RulesPolicy, rules } from 'toolwire/rules'
import { truncateArguments } from './truncate-arguments.js'

/** Returns the arguments of a call as they may be shown: truncated and without secrets. */
export type ShownArguments = (call: ToolCall) => JsonObject

/** Also removes what the rules in force declare a secret. */
export function redactedArgumentsBy(policy: ruleParts.RulesSource): ShownArguments {
  const { redact }: RulesPolicy = rules(policy)
  return (call) => {
    const shown = truncateArguments(call.arguments)
    // These rules are plain data, so `redact` returns its result synchronously.
    return { ...shown, arguments: redact({ ...call, arguments: shown.arguments }) as JsonObject }
  }
}
