import type { JsonObject } from '../json.js'
import { metaKeys } from '../revisions/meta-keys.js'
import { structuredValue } from '../revisions/structured-value.js'
import { ToolCallError } from '../tools/call-result.js'
import type { CallOptions, Client, ToolsOf } from './client.js'

/** A proxy, because the server's tools may change at any time. */
export function toolFunctions<S>(call: Client['call']): ToolsOf<S> {
  const run = (name: string) => async (args?: JsonObject, options?: CallOptions) => {
    const result = await call(name, args, requestingStructured(options))
    if (result.isError) throw new ToolCallError(result)
    return structuredValue(result)
  }
  // The types come from the server's type.
  return new Proxy({}, { get: (plain, name) => (isOwnProperty(name) ? Reflect.get(plain, name) : run(name)) }) as ToolsOf<S>
}

/** Asks where the structured value is, in revisions that have no field for it. */
const requestingStructured = (options: CallOptions | undefined): CallOptions =>
  options ? { ...options, meta: { ...options.meta, ...structuredRequested } } : defaultCallOptions

const structuredRequested = Object.freeze({ [metaKeys.structured]: true })
const defaultCallOptions: CallOptions = { meta: structuredRequested }

/** Awaiting, printing or serializing the object must not call a tool; `call` reaches a tool with such a name. */
const isOwnProperty = (name: string | symbol): name is symbol =>
  typeof name === 'symbol' || name === 'then' || name === 'toJSON' || name in Object.prototype
