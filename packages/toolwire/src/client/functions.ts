// Tools as functions.
import type { JsonObject } from '../json.js'
import { type CallResult, ToolCallError } from '../tools/calls.js'
import type { CallOptions, ToolsOf } from './client.js'

/** A proxy, because what a server offers may change while we talk. */
export function functionsOf<S>(
  call: (name: string, args: JsonObject | undefined, options: CallOptions | undefined) => Promise<CallResult>,
): ToolsOf<S> {
  const run = (name: string) => async (args?: JsonObject, options?: CallOptions) => {
    const result = await call(name, args, options)
    if (result.isError) throw new ToolCallError(result)
    return 'structuredContent' in result ? result.structuredContent : result
  }
  // Whoever awaits the object itself must not thereby call a tool.
  return new Proxy({}, { get: (_, name) => (typeof name === 'symbol' || name === 'then' ? undefined : run(name)) }) as ToolsOf<S> // its types come from the server's own
}
