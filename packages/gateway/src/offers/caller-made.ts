import type { Context } from 'toolwire'
import type { Attendance, RequestOptions } from 'toolwire/client'
import { passedMeta } from './passed-meta.js'

/** What a request to an upstream says about whoever it is made for. Strangers share one name, and so count as many. */
export function callerMade({ caller, meta }: Pick<Context, 'caller' | 'meta'>): RequestOptions & Attendance {
  const passed = passedMeta(meta)
  return { ...(passed && { meta: passed }), ...(!caller.anonymous && { onBehalfOf: caller.id }) }
}
