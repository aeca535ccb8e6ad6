// Fake pools: tools by alias, with the result of each call.

import type { CancelToken } from '../../src/bounds/cancel-token.js'
import type { RemoteTool } from '../../src/client/calls/remote-tool.js'
import type { PooledTool } from '../../src/client/pool.js'
import type { JsonObject } from '../../src/json.js'
import type { Callable } from '../../src/llm/answer-call.js'
import type { CallResult } from '../../src/tools/call-result.js'
import type { Content } from '../../src/tools/content.js'

export type Fake = {
  /** The name on the server; by default the end of the alias. */
  name?: string
  description?: string
  schema?: JsonObject
  readOnly?: boolean
  run?: (args: JsonObject, options: { signal?: CancelToken }) => unknown
}

export const pooled = (alias: string, fake: Fake = {}): PooledTool => {
  const { name = alias.split('__').at(-1) ?? alias, description = 'Does it', schema, readOnly = false } = fake
  const inputSchema = schema ?? { type: 'object' }
  const tool: RemoteTool = {
    name,
    displayName: name,
    description,
    inputSchema,
    outputSchema: undefined,
    hints: { readOnly, destructive: !readOnly, idempotent: false, openWorld: true },
    claims: {},
    icons: [],
    taskSupport: undefined,
    _meta: undefined,
    definition: { name, inputSchema },
  }
  return { alias, server: alias.split('__')[0] ?? '', tool }
}

/** A fake may return text, blocks or a whole result, or throw. */
function resultOf(given: unknown): CallResult {
  if (typeof given === 'string') return { content: [{ type: 'text', text: given }] }
  if (Array.isArray(given)) return { content: given as Content[] }
  return given as CallResult
}

export function fakePool(tools: Record<string, Fake>): Callable & { calls: [string, JsonObject | undefined][] } {
  const calls: [string, JsonObject | undefined][] = []
  return {
    calls,
    listTools: async () => Object.entries(tools).map(([alias, fake]) => pooled(alias, fake)),
    async call(alias, args, options = {}) {
      calls.push([alias, args])
      return resultOf(await tools[alias]?.run?.(args ?? {}, options))
    },
  }
}

/** The response of an Anthropic model that calls tools. */
export const uses = (...calls: [alias: string, input?: unknown][]) => ({
  content: calls.map(([name, input = {}], index) => ({ type: 'tool_use', id: `call-${index + 1}`, name, input })),
})
