import { Refusal } from '../tools/refusal.js'
import type { Finding } from '../tools/tool.js'
import type { Policy } from './policy.js'

/** Nothing reaches a handler that its input schema does not allow. */
export function validate(): Policy {
  return {
    name: 'validate',
    async call(call, next) {
      const pending = call.tool.checkInput(call.arguments)
      const checked = pending instanceof Promise ? await pending : pending
      if (checked.issues)
        throw new Refusal('invalid-arguments', `Invalid arguments for ${call.tool.name}: ${spelledOut(checked.issues)}`)
      return next({ ...call, input: checked.value })
    },
  }
}

const spelledOut = (issues: readonly Finding[]): string =>
  issues.map(({ path, message }) => (path ? `${path}: ${message}` : message)).join('; ')
