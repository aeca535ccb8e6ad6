import type { JsonObject } from 'toolwire'
import type { CallOptions, Client } from 'toolwire/client'
import { idOf, type Side } from './revisions.js'

/** One caller and one server, connected through the gateway. */
export type Cell = {
  readonly caller: Side
  readonly server: Side
  readonly client: Client
  /** The questions to the person behind the caller, over all of the caller's cells. */
  readonly asked: readonly string[]
  /** Marks the data of this cell at a server that other cells also use. */
  readonly mark: string
}

/** The name of a server's tool for callers. */
export const exposed = ({ server }: Cell, tool: string): string => `${idOf(server)}__${tool}`

export const call = (cell: Cell, tool: string, args: JsonObject = {}, options: CallOptions = {}) =>
  cell.client.call(exposed(cell, tool), args, options)

/** Sends a raw call, and returns its raw result. */
export const rawCall = (cell: Cell, tool: string, args: JsonObject = {}): Promise<JsonObject> =>
  cell.client.request('tools/call', { name: exposed(cell, tool), arguments: args })

export { until } from '../../../toolwire/test/waiting.js'
