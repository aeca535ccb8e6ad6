// Tools as functions.
import type { JsonObject } from '../json.js'
import { meta } from '../revisions/meta.js'
import { structuredValue } from '../revisions/structured-value.js'
import { type CallResult, ToolCallError } from '../tools/calls.js'
import type { CallOptions, ToolsOf } from './client.js'

/** A proxy, because what a server offers may change while we talk. */
export function functionsOf<S>(
  call: (name: string, args: JsonObject | undefined, options: CallOptions | undefined) => Promise<CallResult>,
): ToolsOf<S> {
  const run = (name: string) => async (args?: JsonObject, options?: CallOptions) => {
    const result = await call(name, args, askingWhere(options))
    if (result.isError) throw new ToolCallError(result)
    return structuredValue(result)
  }
  // Its types come from the server's own.
  return new Proxy({}, { get: (plain, name) => (isOurs(name) ? Reflect.get(plain, name) : run(name)) }) as ToolsOf<S>
}

/** Clients of older revisions hear where the structured value is when they ask. */
const askingWhere = (options: CallOptions | undefined): CallOptions =>
  options ? { ...options, meta: { ...options.meta, ...asked } } : onlyAsked

const asked = Object.freeze({ [meta.structured]: true })
const onlyAsked: CallOptions = { meta: asked }

/** Whoever awaits, prints or serialises the object itself must not thereby call a tool; one with such a name is there for `call`. */
const isOurs = (name: string | symbol): name is symbol =>
  typeof name === 'symbol' || name === 'then' || name === 'toJSON' || name in Object.prototype
