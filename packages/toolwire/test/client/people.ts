// A person to ask, and a server to ask about, for tests of what policies do in a whole client.
import type { ApprovalAnswer, ApprovalRequest } from '../../src/guard.js'
import { plainTool, type Script, said, toolsPage } from './scripted.js'

/** A server with one tool, `pay`. */
export const pay: Script = { 'tools/list': toolsPage([plainTool('pay')]), 'tools/call': said('paid') }
/** What Anthropic's model says when it calls that tool of the server `shop` in a pool. */
export const payCall = { content: [{ type: 'tool_use', id: 'call-1', name: 'shop__pay', input: { amount: 5 } }] }
/** What a policy's no looks like. */
export const refused = (reason: string) => ({ name: 'Refusal', reason })
/** Whatever a person would not see, or a terminal would obey. */
export const hidden = /(?![\n\t ])[\p{C}\p{Zl}\p{Zp}]/u

/** A person who is asked, and says what the test lets them say. */
export function person(...answers: ApprovalAnswer[]) {
  const asked: ApprovalRequest[] = []
  const ask = (request: ApprovalRequest): ApprovalAnswer => answers[asked.push(request) - 1] ?? 'deny'
  return { asked, ask }
}
