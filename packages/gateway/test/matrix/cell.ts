import type { JsonObject } from 'toolwire'
import type { CallOptions, Client } from 'toolwire/client'
import { idOf, type Side } from './revisions.js'

/** One caller, one server, and the gateway between them. */
export type Cell = {
  readonly caller: Side
  readonly server: Side
  readonly client: Client
  /** What the person behind the caller was asked, by all of the caller's cells. */
  readonly asked: readonly string[]
  /** Names what is this cell's at a server that others use, too. */
  readonly mark: string
}

/** The name of a server's tool, as callers know it. */
export const exposed = ({ server }: Cell, tool: string): string => `${idOf(server)}__${tool}`

export const call = (cell: Cell, tool: string, args: JsonObject = {}, options: CallOptions = {}) =>
  cell.client.call(exposed(cell, tool), args, options)

/** The call as it goes over the wire, and what came back. */
export const rawCall = (cell: Cell, tool: string, args: JsonObject = {}): Promise<JsonObject> =>
  cell.client.request('tools/call', { name: exposed(cell, tool), arguments: args })

/** What takes a moment to get through must get through. */
export async function until(isSo: () => Promise<boolean>, ms = 60_000): Promise<void> {
  const latest = performance.now() + ms
  while (!(await isSo())) {
    if (performance.now() > latest) throw new Error(`Not within ${ms} ms`)
    await new Promise((resolve) => setTimeout(resolve, 20))
  }
}
