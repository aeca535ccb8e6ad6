import type { types } from 'toolwire/relay'
import type { Upstream } from '../upstreams/upstream.js'
import { protocolErrorOf } from './upstream-errors.js'

/** Suggestions for an argument from the upstream; none if the upstream does not support completions. */
export function argumentCompleter(upstream: Upstream, ref: types.CompletionRef, argument: string): types.Completer {
  return async (value, context, caller) => {
    try {
      return await upstream.useFor(caller, async (client) => {
        if (client.server.capabilities.completions === undefined) return []
        const { values } = await client.complete(ref, { name: argument, value }, { context: { ...context } })
        return values
      })
    } catch (thrown) {
      throw protocolErrorOf(thrown, upstream.id)
    }
  }
}
