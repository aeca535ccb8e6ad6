// A person who approves calls, and a server to call, for tests of policies in a whole client.
import type { ApprovalAnswer, ApprovalRequest } from '../../src/guard.js'
import { plainTool, type Script, textResult, toolsPage } from './scripted.js'

/** A server with one tool, `pay`. */
export const pay: Script = { 'tools/list': toolsPage([plainTool('pay')]), 'tools/call': textResult('paid') }
/** The response of an Anthropic model that calls the tool `pay` of the server `shop` in a pool. */
export const payCall = { content: [{ type: 'tool_use', id: 'call-1', name: 'shop__pay', input: { amount: 5 } }] }
/** The error of a call that a policy refuses. */
export const refused = (reason: string) => ({ name: 'Refusal', reason })
/** Characters that a person cannot see or that control a terminal. */
export const hidden = /(?![\n\t ])[\p{C}\p{Zl}\p{Zp}]/u

/** A person who gives the scripted answers, and records the requests. */
export function person(...answers: ApprovalAnswer[]) {
  const asked: ApprovalRequest[] = []
  const ask = (request: ApprovalRequest): ApprovalAnswer => answers[asked.push(request) - 1] ?? 'deny'
  return { asked, ask }
}
