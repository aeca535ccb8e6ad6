// Calls for policies, without a server or a client.
import type { JsonObject } from '../../src/json.js'
import type { Policy } from '../../src/policy/policy.js'
import type { Refusal } from '../../src/tools/refusal.js'
import type { ToolResult } from '../../src/tools/result.js'
import type { Hints, ListedTool, ReadyTool, ToolCall } from '../../src/tools/tool.js'

type Given = {
  listed?: Partial<ListedTool>
  hints?: Hints
  server?: string
  serverIdentity?: string
  arguments?: JsonObject
  caller?: string
  signal?: AbortSignal
  input?: unknown
}

export const done: ToolResult = { content: [{ type: 'text', text: 'done' }], isError: false }

export function toolOf({ listed, hints, serverIdentity }: Given = {}): ReadyTool {
  const definition = { name: 'send', description: 'Sends.', inputSchema: { type: 'object' }, ...listed }
  return {
    name: definition.name,
    listed: definition,
    definition: { run: () => '', ...(hints && { hints }), ...(serverIdentity !== undefined && { serverIdentity }) },
    checkInput: (value) => ({ value }),
    checkOutput: undefined,
  }
}

export function callOf(given: Given = {}, tool = toolOf(given)): ToolCall {
  const { server = 'mail', arguments: args = { to: 'ada' }, caller = 'eve', signal = new AbortController().signal } = given
  // Policies use only these members of the context.
  const once = async (_key: string, effect: () => unknown) => effect()
  const noNotifications = { progress: () => undefined, log: () => undefined }
  const context = {
    signal,
    cancelToken: signal,
    clock: undefined,
    continued: false,
    once,
    ...noNotifications,
  } as unknown as ToolCall['context']
  return { tool, server, arguments: args, input: given.input, caller: { id: caller, scopes: [] }, context }
}

/** Sends a call through one policy. Returns the calls that reached the handler, and the outcome. */
export async function through(policy: Policy, call: ToolCall, answer: ToolResult | Error = done) {
  const sent: ToolCall[] = []
  const next = async (passed: ToolCall) => {
    sent.push(passed)
    if (answer instanceof Error) throw answer
    return answer
  }
  try {
    const result = await policy.call?.(call, next)
    return { sent, result, refusal: undefined }
  } catch (thrown) {
    return { sent, result: undefined, refusal: thrown as Refusal } // tests check its reason
  }
}
