// All refusals of a call that needs approval, in words for the model.
import { Refusal } from '../../tools/refusal.js'
import type { ToolCall } from '../../tools/tool.js'

export const notApproved = (said: string, options?: ErrorOptions): Refusal => new Refusal('not-approved', said, options)

export const approvalDenied = ({ tool }: ToolCall, why: string | undefined): Refusal =>
  notApproved(`The call to ${tool.name} was denied${why ? `: ${why}` : ''}. Do not repeat it unless the user asks for it.`)

export const approvalTimedOut = ({ tool }: ToolCall): Refusal =>
  notApproved(`Nobody approved the call to ${tool.name} in time, so it was not made. Call again to ask again.`)

export const approvalUnavailable = ({ tool }: ToolCall, cause: unknown): Refusal =>
  notApproved(`Approval could not be requested, so the call to ${tool.name} was not made.`, { cause })

export const approvedCallChanged = ({ tool }: ToolCall, what: readonly string[]): Refusal =>
  notApproved(`While the call to ${tool.name} was being approved, ${what.join(' and ')} changed, so it was not made.`)

export const approvalUsed = ({ tool }: ToolCall): Refusal =>
  notApproved(`The approval of the call to ${tool.name} has expired or was already used, so the call was not made.`)

export const tooManyPending = (most: number): Refusal =>
  new Refusal(
    'busy',
    `Too many calls wait for approval already: ${most} of one caller may, and fewer with long arguments. Try again when they are decided`,
  )
