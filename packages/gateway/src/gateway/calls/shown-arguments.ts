import type { JsonObject, ToolCall } from 'toolwire'
import { type Ruling, rules } from 'toolwire/rules'
import type { PolicyFile } from '../policy-file.js'
import { cut } from './cut.js'

/** The arguments as they may be shown in passing. */
export const shownArguments = (call: ToolCall): JsonObject => ({ ...cut(call.arguments) })

/** The same without what the rules in force call a secret. */
export function shownUnder(policy: PolicyFile): typeof shownArguments {
  const { redact }: Ruling = rules(policy)
  return (call) => {
    const shown = cut(call.arguments)
    // The rules are JSON about JSON: what they leave is there at once.
    return { ...shown, arguments: redact({ ...call, arguments: shown.arguments }) as JsonObject }
  }
}
