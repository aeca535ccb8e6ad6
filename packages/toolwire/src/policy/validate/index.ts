import { visibleLine } from '../../text/visible.js'
import { refusalOfFixed } from '../../tools/fixed-arguments.js'
import { Refusal } from '../../tools/refusal.js'
import type { ToolResult } from '../../tools/result.js'
import type { CheckedValue, ToolCall, ValueFinding } from '../../tools/tool.js'
import type { Next, Policy } from '../policy.js'

/** Checks the arguments against the tool's input schema before they reach a handler. */
export function validate(): Policy {
  return {
    name: 'validate',
    call(call, next) {
      const refusal = refusalOfFixed(call)
      if (refusal) return Promise.reject(refusal)
      const checked = call.tool.checkInput(call.arguments)
      // Most schemas answer synchronously, and then there is nothing to wait for.
      return checked instanceof Promise
        ? checked.then((settled) => callChecked(call, settled, next))
        : callChecked(call, checked, next)
    },
  }
}

function callChecked(call: ToolCall, checked: CheckedValue, next: Next): Promise<ToolResult> {
  if (!checked.issues) return next({ ...call, input: checked.value })
  const why = `Invalid arguments for ${call.tool.name}: ${issuesInWords(checked.issues)}`
  return Promise.reject(new Refusal('invalid-arguments', why))
}

const issuesInWords = (issues: readonly ValueFinding[]): string =>
  visibleLine(issues.map(({ path, message }) => (path ? `${path}: ${message}` : message)).join('; '))
