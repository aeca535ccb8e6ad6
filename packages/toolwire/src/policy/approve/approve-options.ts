import { checkOptions, optionsOf } from '../../tools/checks/known-options.js'
import { atLeast, someFunction, someObject, someText } from '../../tools/checks/option-values.js'
import type { ReadyTool, ToolCall } from '../../tools/tool.js'
import type { Approver } from './approval.js'
import type { GrantStore } from './grants.js'

export type ApproveOptions = {
  /** The approver: a hook of your own, `askCaller()` or `approvalQueue(store)`. A hook that throws denies the call. */
  ask: Approver
  /** Store of "always" answers; without it every answer is for one call. */
  remember?: GrantStore
  /** True for calls that need approval; by default, those that may change something. */
  when?: (call: ToolCall) => boolean
  /** Version of the rules in force. A call that was approved under another version is not made. */
  version?: () => string
  /** The tool as it is offered now, if it may change while a person decides; undefined if it is gone. */
  current?: (call: ToolCall) => ReadyTool | undefined
  /** Milliseconds until a missing answer counts as a denial. */
  waitMs?: number
  /** Maximum number of pending calls of one caller. */
  mostPending?: number
  /** Tells apart policies that ask different people about the same calls: an approval by one counts for no other. */
  name?: string
}

const known = optionsOf<ApproveOptions>()({
  'ask when version current': someFunction,
  remember: someObject,
  waitMs: atLeast(0),
  mostPending: atLeast(0),
  name: someText,
})

/** Apart from the policy, which `guard` loads with the first call. */
export const checkApproveOptions = (owner: string, options: ApproveOptions | undefined): void =>
  checkOptions(owner, options, known)
