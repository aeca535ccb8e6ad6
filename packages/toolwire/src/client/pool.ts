// Connections to many servers, with one list of their tools.

import type { JsonObject } from '../json.js'
import type { CallResult } from '../tools/call-result.js'
import { checkOptions, optionsOf, withGiven } from '../tools/checks/known-options.js'
import { trueOrFalse } from '../tools/checks/option-values.js'
import type { RemoteTool } from './calls/remote-tool.js'
import type { CallOptions, Change, Client, ListOptions } from './client.js'
import { connect } from './connect.js'
import { CallFailure } from './errors.js'
import { type ConnectOptions, checkConnectOptions } from './options.js'
import type { Target } from './target.js'
import { aliasesFor } from './tool-aliases.js'

/** A tool of one of many servers. Its alias is unique, and valid in the API of any model. */
export type PooledTool = { readonly alias: string; readonly server: string; readonly tool: RemoteTool }

/** Connections to several servers, independent of each other. */
export interface Pool<N extends string = string> extends AsyncDisposable {
  readonly clients: { readonly [name in N]: Client }
  /** Errors of servers that could not be reached (with `partial`), or that could not list their tools the last time. */
  readonly failures: { readonly [name in N]?: Error }
  /** Lists the tools of all servers, sorted by alias. */
  listTools(options?: ListOptions): Promise<readonly PooledTool[]>
  call(alias: string, args?: JsonObject, options?: CallOptions): Promise<CallResult>
  onChange(listener: (server: N, change: Change) => void): () => void
  close(): Promise<void>
}

export type PoolEntry = Target | WithOptions
type WithOptions = { readonly target: Target; readonly options: ConnectOptions }
export type PoolOptions = ConnectOptions & {
  /** Continues with the servers that can be reached. */
  readonly partial?: boolean
}

const own = optionsOf<Pick<PoolOptions, 'partial'>>()({ partial: trueOrFalse })

/**
 * Connects to many servers.
 *
 * @example
 * ```ts
 * const all = await pool({ shop: 'https://shop.example/mcp', files: { command: 'npx', args: ['-y', 'server-files', '.'] } })
 * const { content } = await all.call('shop__search', { query: 'mug' })
 * await all.close()
 * ```
 */
export async function pool<N extends string>(
  entries: { readonly [name in N]: PoolEntry },
  given: PoolOptions = {},
): Promise<Pool<N>> {
  const { partial = false, ...options } = given
  checkOptions('pool()', { partial }, own)
  checkConnectOptions(options, 'pool()')
  const names = Object.keys(entries) as N[] // the keys of the record
  const settled = await Promise.allSettled(names.map((name) => connectTo(name, entries[name], options)))
  const clients = new Map<N, Client>()
  const failures = new Map<N, Error>()
  for (const [index, name] of names.entries()) {
    const one = settled[index]
    if (one?.status === 'fulfilled') clients.set(name, one.value)
    else failures.set(name, asError(one?.reason))
  }
  const made = new ClientPool(clients, failures)
  const [first] = failures
  if (!first || partial) return made
  await made.close()
  throw new CallFailure('disconnected', `${first[0]}: ${first[1].message}`, { cause: first[1] })
}

function connectTo(name: string, entry: PoolEntry, shared: ConnectOptions): Promise<Client> {
  const mine: WithOptions = isWithOptions(entry) ? entry : { target: entry, options: {} }
  return connect(mine.target, { ...withGiven(shared, mine.options), name })
}

const isWithOptions = (entry: PoolEntry): entry is WithOptions => typeof entry === 'object' && 'target' in entry

const asError = (reason: unknown): Error => (reason instanceof Error ? reason : new Error(String(reason)))

type Entry = { readonly server: string; readonly name: string; readonly tool: RemoteTool }
/** Shortest time between list requests for unknown names, which models may make up. */
const askAgainAfterMs = 1_000

class ClientPool<N extends string> implements Pool<N> {
  readonly clients: { readonly [name in N]: Client }
  readonly failures: { [name in N]?: Error }
  readonly #lists = new Map<N, Entry[]>()
  #listedAt = 0
  readonly #all: ReadonlyMap<N, Client>
  #tools: readonly PooledTool[] | undefined

  constructor(clients: ReadonlyMap<N, Client>, failures: ReadonlyMap<N, Error>) {
    this.#all = clients
    this.clients = Object.fromEntries(clients) as { readonly [name in N]: Client } // only `partial` leaves servers out
    this.failures = Object.fromEntries(failures) as { [name in N]?: Error }
  }

  async listTools(options: ListOptions = {}): Promise<readonly PooledTool[]> {
    const settled = await Promise.allSettled([...this.#all].map(([server, client]) => this.#listOf(server, client, options)))
    const entries = settled.flatMap((one) => (one.status === 'fulfilled' ? one.value : []))
    const [failed] = settled.flatMap((one) => (one.status === 'rejected' ? [one.reason] : []))
    if (failed !== undefined && entries.length === 0) throw failed
    const aliases = aliasesFor(entries)
    const tools = entries.map(({ server, tool }, index) => ({ alias: aliases[index] ?? tool.name, server, tool }))
    this.#tools = tools.sort((one, other) => (one.alias < other.alias ? -1 : 1))
    this.#listedAt = performance.now()
    return this.#tools
  }

  /** If a server cannot list its tools now, its previous list is used and the error is put into `failures`. */
  async #listOf(server: N, client: Client, options: ListOptions): Promise<Entry[]> {
    try {
      const tools = (await client.listTools(options)).map((tool) => ({ server, name: tool.name, tool }))
      this.#lists.set(server, tools)
      delete this.failures[server]
      return tools
    } catch (thrown) {
      if (options.signal?.aborted) throw thrown
      this.failures[server] = asError(thrown)
      const known = this.#lists.get(server)
      if (!known) throw thrown
      return known
    }
  }

  readonly call: Pool['call'] = async (alias, args = {}, options = {}) => {
    const withAlias = (tools: readonly PooledTool[]) => tools.find((tool) => tool.alias === alias)
    let found = withAlias(this.#tools ?? (await this.listTools()))
    if (!found && performance.now() - this.#listedAt > askAgainAfterMs) found = withAlias(await this.listTools())
    const client = found && this.#all.get(found.server as N) // its name came from #all
    if (!found || !client) throw new CallFailure('not_offered', `There is no tool "${alias.slice(0, 128)}" in this pool`)
    return client.call(found.tool.name, args, options)
  }

  readonly onChange: Pool<N>['onChange'] = (listener) => {
    const stops = [...this.#all].map(([server, client]) => client.onChange((change) => listener(server, change)))
    return () => {
      for (const stop of stops) stop()
    }
  }

  async close(): Promise<void> {
    await Promise.all([...this.#all.values()].map((client) => client.close()))
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.close()
  }
}
