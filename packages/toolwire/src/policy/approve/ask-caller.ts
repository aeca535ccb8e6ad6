// The caller's own client asks the person in front of it: by elicitation, or where questions are results, in a round of the call.
import { jsonSchema } from '../../schema/json-schema.js'
import { Declined } from '../../tools/ask.js'
import { Refusal } from '../../tools/refusal.js'
import { ToolError } from '../../tools/result.js'
import { Suspension } from '../../tools/suspension.js'
import type { ToolCall } from '../../tools/tool.js'
import type { ApprovalAnswer, Approver } from './approval.js'
import { approvalQuestion, isShowable, maxShownBytes } from './approval-question.js'

const form = jsonSchema<{ decision: 'allow' | 'deny' }>({
  type: 'object',
  properties: {
    decision: {
      type: 'string',
      title: 'Decision',
      oneOf: [
        { const: 'allow', title: 'Allow this one call' },
        { const: 'deny', title: 'Do not allow it' },
      ],
    },
  },
  required: ['decision'],
})

/**
 * Asks the caller's own client, for `approve({ ask: theCaller() })` in a server. A client that cannot ask its person is refused.
 *
 * @example
 * ```ts
 * const policy = approve({ ask: askCaller() })
 * ```
 */
export function askCaller(): Approver {
  return async (request, call) => {
    if (!isShowable(request)) throw tooLong(call)
    try {
      // Nobody can guess the id: a client that sends answers before it was asked has no name to give them.
      const { decision } = await call.context.ask(`toolwire:approval:${request.id}`, approvalQuestion(request), form)
      return decision
    } catch (thrown) {
      if (thrown instanceof Suspension) throw thrown
      return refused(call, thrown)
    }
  }
}

function refused(call: ToolCall, thrown: unknown): ApprovalAnswer {
  if (thrown instanceof Declined) return 'deny'
  throw thrown instanceof Refusal ? thrown : callerCannotBeAsked(call, thrown)
}

const tooLong = ({ tool }: ToolCall): Refusal =>
  new Refusal(
    'not-approved',
    `The arguments of ${tool.name} are longer than the ${maxShownBytes} bytes that can be shown for approval, so the call was not made.`,
  )

function callerCannotBeAsked({ tool }: ToolCall, cause: unknown): Refusal {
  const why = cause instanceof ToolError ? ` (${cause.message})` : ''
  const said = `The call to ${tool.name} needs approval, and the client cannot ask its user for it${why}; it was not made.`
  return new Refusal('not-approved', said, { cause })
}
