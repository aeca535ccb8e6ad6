import { type Context, type JsonObject, ToolError } from 'toolwire'
import type { CallOrigin } from '../upstreams/suspended-call.js'
import { forwardedMeta } from './forwarded-meta.js'

/** Through how many gateways a request has come: those that lead to each other would pass it round for ever. */
export const hopsKey = 'dev.toolwire/hops'
const mostHops = 5
/** What nearly all requests say. */
const firstHop: JsonObject = Object.freeze({ [hopsKey]: 1 })

/** What a request to an upstream says about whoever it is made for. */
export function callerRequest({ caller, peer, meta, askable, promoteToTask, paramHeaders }: CallerRequest): CallOrigin {
  const hops = hopsIn(meta[hopsKey]) + 1
  if (hops > mostHops) throw new ToolError(goesRound)
  const passed = forwardedMeta(meta)
  return {
    caller,
    meta: passed || hops > 1 ? { ...passed, [hopsKey]: hops } : firstHop,
    // An upstream may only ask what its caller can be asked.
    asks: askable,
    // Strangers share one name. What tells them apart is the session or the pipe that they came on, and never what they say of themselves.
    onBehalfOf: caller.anonymous ? (peer ?? {}) : caller.id,
    // Whoever has a task, or can be given one, has time for more than a call at the upstream.
    asTask: promoteToTask !== undefined,
    // What is not marked here is meant for somebody further on. spec 2026-07-28, basic/transports/streamable-http#server-behavior-for-custom-headers
    paramHeaders,
  }
}

type CallerRequest = Pick<Context, 'caller' | 'peer' | 'meta' | 'askable' | 'promoteToTask' | 'paramHeaders'>

const hopsIn = (said: unknown): number => (typeof said === 'number' && said > 0 ? Math.ceil(said) : 0)

const goesRound = `The call has come through ${mostHops} gateways: they lead to each other; take one out of the config of another`
