// All the ways in which a call that needs approval does not get it, in words for the model.
import { Refusal } from '../../tools/refusal.js'
import type { ToolCall } from '../../tools/tool.js'

export function approvalDenied({ tool }: ToolCall, why: string | undefined): Refusal {
  const said = why ? `: ${why}` : ''
  return new Refusal('not-approved', `The call to ${tool.name} was denied${said}. Do not repeat it unless the user asks for it.`)
}

export const approvalTimedOut = ({ tool }: ToolCall): Refusal =>
  new Refusal(
    'not-approved',
    `Nobody approved the call to ${tool.name} in time, so it was not made. It may be made again, and waits anew.`,
  )

export const approvalUnavailable = ({ tool }: ToolCall, cause: unknown): Refusal =>
  new Refusal('not-approved', `Approval could not be asked for, so the call to ${tool.name} was not made.`, { cause })

export function approvedCallChanged({ tool }: ToolCall, what: readonly string[]): Refusal {
  const which = `${what.join(' and ')} changed`
  return new Refusal('not-approved', `While the call to ${tool.name} was being approved, ${which}, so it was not made.`)
}

export const approvalUsed = ({ tool }: ToolCall): Refusal =>
  new Refusal('not-approved', `The approval of the call to ${tool.name} holds no longer or has been used, so it was not made.`)

export const tooManyPending = (most: number): Refusal =>
  new Refusal('busy', `${most} calls wait for approval already; try again when they are decided`)
