import type { CallOptions } from '../client/client.js'
import type { PooledTool } from '../client/pool.js'
import type { JsonObject } from '../json.js'
import type { CallResult } from '../tools/call-result.js'

/** What a toolkit is made from: a pool of clients, or anything that lists tools and calls them by alias. */
export interface Callable {
  listTools(): Promise<readonly PooledTool[]>
  call(alias: string, args?: JsonObject, options?: CallOptions): Promise<CallResult>
}
