// Many servers, one view of their tools.
import type { JsonObject } from '../json.js'
import type { CallResult } from '../tools/call-result.js'
import type { RemoteTool } from './calls/remote-tool.js'
import type { CallOptions, Change, Client, ListOptions } from './client.js'
import { connect } from './connect.js'
import { CallFailure } from './errors.js'
import type { ConnectOptions } from './options.js'
import type { Target } from './target.js'
import { aliasesFor } from './tool-aliases.js'

/** A tool among those of many servers; the alias is unique, and fit for the API of any model. */
export type PooledTool = { readonly alias: string; readonly server: string; readonly tool: RemoteTool }

/** Several connections, none of which knows of the others. */
export interface Pool<N extends string = string> extends AsyncDisposable {
  readonly clients: { readonly [name in N]: Client }
  /** Why a server is not there, where `partial` lets the others go on without it, or why it could not be asked the last time. */
  readonly failures: { readonly [name in N]?: Error }
  /** The tools of all servers, in an order that depends on nothing but their names. */
  listTools(options?: ListOptions): Promise<readonly PooledTool[]>
  /** Calls a tool by its alias. */
  call(alias: string, args?: JsonObject, options?: CallOptions): Promise<CallResult>
  onChange(listener: (server: N, change: Change) => void): () => void
  close(): Promise<void>
}

/** A target, alone or with options of its own. */
export type PoolEntry = Target | WithOptions
type WithOptions = { readonly target: Target; readonly options: ConnectOptions }
export type PoolOptions = ConnectOptions & {
  /** Go on with the servers that can be reached. */
  readonly partial?: boolean
}

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
  { partial = false, ...options }: PoolOptions = {},
): Promise<Pool<N>> {
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
  const own: WithOptions = isWithOptions(entry) ? entry : { target: entry, options: {} }
  return connect(own.target, { ...shared, ...own.options, name })
}

const isWithOptions = (entry: PoolEntry): entry is WithOptions => typeof entry === 'object' && 'target' in entry

const asError = (reason: unknown): Error => (reason instanceof Error ? reason : new Error(String(reason)))

type Entry = { readonly server: string; readonly name: string; readonly tool: RemoteTool }
/** A name that a model has made up does not make us ask everybody again each time. */
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
    this.clients = Object.fromEntries(clients) as { readonly [name in N]: Client } // without those that failed, which only `partial` leaves out
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

  /** One that cannot be asked now is shown as it was; why it cannot stands in `failures`. */
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
    const client = found && this.#all.get(found.server as N) // it came from there
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
