import { type Asking, type Context, ToolError } from 'toolwire'
import type { Asks, Attendance, RequestOptions } from 'toolwire/client'
import { passedMeta } from './passed-meta.js'

/** Through how many gateways a request has come: those that lead to each other would pass it round for ever. */
export const hopsKey = 'dev.toolwire/hops'
const mostHops = 5

/** What a request to an upstream says about whoever it is made for. */
export function callerMade({ caller, peer, meta, ask }: Made): RequestOptions & Attendance {
  const hops = hopsIn(meta[hopsKey]) + 1
  if (hops > mostHops) throw new ToolError(goesRound)
  // Strangers share one name. What tells them apart is the session or the pipe that they came on, and never what they say of themselves.
  const party = caller.anonymous ? peer : caller.id
  return {
    meta: { ...passedMeta(meta), [hopsKey]: hops },
    asks: asksOf(ask),
    ...(party !== undefined && { onBehalfOf: party }),
  }
}

type Made = Pick<Context, 'caller' | 'peer' | 'meta' | 'ask'>

/** An upstream may only ask what its caller can be asked. */
const asksOf = (ask: Asking): Asks => ({
  form: ask.can('form'),
  page: ask.can('url'),
  model: ask.can('model'),
  roots: ask.can('roots'),
})

const hopsIn = (said: unknown): number => (typeof said === 'number' && said > 0 ? Math.ceil(said) : 0)

const goesRound = `The call has come through ${mostHops} gateways: they lead to each other; take one out of the config of another`
