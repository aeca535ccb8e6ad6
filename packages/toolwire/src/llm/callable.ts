import type { CallOptions } from '../client/client.js'
import type { RemoteTool } from '../client/remote-tool.js'
import type { JsonObject } from '../json.js'
import type { CallResult } from '../tools/calls.js'

/** A tool under the name that a model knows it by. */
export type PooledTool = { readonly alias: string; readonly server: string; readonly tool: RemoteTool }

/** What a toolkit is made from: a pool of clients, or anything that lists tools and calls them by alias. */
export interface Callable {
  listTools(): Promise<readonly PooledTool[]>
  call(alias: string, args?: JsonObject, options?: CallOptions): Promise<CallResult>
}
