import type { Client } from 'toolwire/client'
import type { types } from 'toolwire/relay'
import type { Upstream } from '../upstreams/upstream.js'
import { partyOf, relayedMeta } from './forwarding.js'
import { protocolErrorOf } from './upstream-errors.js'

/** Suggestions for an argument from the upstream; none if the upstream does not support completions. */
export function argumentCompleter(upstream: Upstream, ref: types.CompletionRef, argument: string): types.Completer {
  return async (value, context, caller, { cancelToken: signal, meta, recheck }) => {
    const complete = async (client: Client) => {
      if (client.server.capabilities.completions === undefined) return []
      await recheck?.()
      const options = { context: { ...context }, meta: relayedMeta(meta), signal, onBehalfOf: partyOf(caller) }
      const { values } = await client.complete(ref, { name: argument, value }, options)
      return values
    }
    try {
      return await upstream.useFor(caller, complete, signal)
    } catch (thrown) {
      throw protocolErrorOf(thrown, upstream.id)
    }
  }
}
