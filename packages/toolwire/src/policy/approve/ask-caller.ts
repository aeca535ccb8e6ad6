// The caller's own client asks the person in front of it: by elicitation, or in a round of the call if questions are results.
import { jsonSchema } from '../../schema/json-schema.js'
import { visibleLine } from '../../text/visible.js'
import { Declined } from '../../tools/ask.js'
import { withoutFixed } from '../../tools/fixed-arguments.js'
import { Refusal } from '../../tools/refusal.js'
import { ToolError } from '../../tools/result.js'
import { Suspension } from '../../tools/suspension.js'
import type { Hints, ToolCall } from '../../tools/tool.js'
import { type ApprovalRequest, type Approver, displayOf } from './approval.js'
import { notApproved } from './refusals.js'

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
 * Asks the caller's own client for the approval, in a server. A client that cannot ask its person is refused.
 *
 * @example
 * ```ts
 * const policy = approve({ ask: askCaller() })
 * ```
 */
export function askCaller(): Approver {
  return async (asked, call) => {
    const request = await withoutFixedArguments(asked, call)
    if (!isShowable(request)) throw tooLong(call)
    try {
      // Nobody can guess the id, so a client cannot answer a request before it was asked.
      const { decision } = await call.context.ask(`toolwire:approval:${request.id}`, approvalQuestion(request), form)
      return decision
    } catch (thrown) {
      if (thrown instanceof Declined) return 'deny'
      throw thrown instanceof Suspension || thrown instanceof Refusal ? thrown : callerCannotBeAsked(call, thrown)
    }
  }
}

/** Callers do not see the arguments that the operator has fixed. */
async function withoutFixedArguments(
  request: ApprovalRequest,
  { tool }: ToolCall,
): Promise<ApprovalRequest & { hasFixed?: true }> {
  if (!tool.definition.fixedArguments) return request
  const chosen = withoutFixed(tool, request.arguments)
  return { ...request, arguments: chosen, display: await displayOf(chosen), hasFixed: true }
}

const tooLong = ({ tool }: ToolCall): Refusal =>
  notApproved(
    `The arguments of ${tool.name} are longer than the ${maxShownBytes} bytes that can be shown for approval, so the call was not made.`,
  )

function callerCannotBeAsked({ tool }: ToolCall, cause: unknown): Refusal {
  const why = cause instanceof ToolError ? ` (${cause.message})` : ''
  const said = `The call to ${tool.name} needs approval, and the client cannot ask its user for it${why}; it was not made.`
  return notApproved(said, { cause })
}

/** Bytes of arguments, with hidden characters escaped, that a person can be expected to read. */
const maxShownBytes = 4_096
const longestName = 200

/** A person is not asked about arguments that cannot be shown in full. */
const isShowable = ({ display }: ApprovalRequest): boolean =>
  display.length <= maxShownBytes && new TextEncoder().encode(display).length <= maxShownBytes

/** Untrusted text stays on its line, or inside the quotes of JSON, where it cannot imitate our own words. */
export function approvalQuestion(request: ApprovalRequest & { readonly hasFixed?: true }): string {
  const { server, tool, hints, display, hasFixed } = request
  return [
    'Allow this call?',
    `Server: ${server === undefined ? 'the one that asks' : quoted(server)}`,
    `Tool: ${quoted(tool.name)}${tool.title === undefined ? '' : `, called ${quoted(tool.title)}`}`,
    `What it may do: ${mayDo(hints)}`,
    hasFixed
      ? 'Arguments, exactly as they will be used, beside those that the operator sets:'
      : 'Arguments, exactly as they will be used:',
    display,
  ].join('\n')
}

function quoted(text: string): string {
  const line = visibleLine(text)
  return line.length > longestName ? `${JSON.stringify(line.slice(0, longestName))} (cut: it is longer)` : JSON.stringify(line)
}

function mayDo({ readOnly, destructive, idempotent, openWorld }: Readonly<Required<Hints>>): string {
  const where = openWorld ? ', and reach the world outside' : ''
  if (readOnly) return `only read${where}`
  const what = destructive ? 'change things, even delete or overwrite them' : 'add things'
  return `${what}${where}${idempotent ? '; doing it twice is no more than doing it once' : ''}`
}
