// One offer of everything, and one for each set of tools: all of the same upstreams, behind the same guard.
import type { Server } from 'toolwire'
import type { Policy, ReadyTool } from 'toolwire/guard'
import type { ListedTool, types } from 'toolwire/relay'
import type { GatewayConfig } from '../config/gateway-config.js'
import type { ServedEndpoints as Served } from '../http/http-server.js'
import { type OnQuestion, SuspendedCalls } from '../relay/suspended-calls.js'
import type { Upstream } from '../upstreams/upstream.js'
import { AggregateServer, type AggregateServerOptions } from './aggregate-server.js'

export type AggregateServersOptions = {
  readonly server: AggregateServerOptions['server']
  readonly onNote: (text: string) => void
  readonly onProgress?: AggregateServerOptions['onProgress']
  readonly heldBack?: AggregateServerOptions['heldBack']
  readonly isAnother?: AggregateServerOptions['isAnother']
  readonly isOpen?: AggregateServerOptions['isOpen']
  readonly onMade?: AggregateServerOptions['onMade']
  /** Stands around each question of an upstream. */
  readonly onQuestion?: OnQuestion
}

const drainMs = 10_000

export class AggregateServers {
  readonly everything: AggregateServer
  readonly #told: Omit<AggregateServersOptions, 'server' | 'onQuestion'>
  readonly #lot: SuspendedCalls
  readonly #sets = new Map<string, AggregateServer>()
  #server: AggregateServersOptions['server']

  constructor({ server, onQuestion, ...told }: AggregateServersOptions) {
    this.#lot = new SuspendedCalls(onQuestion && { asked: onQuestion })
    this.#server = server
    this.#told = told
    this.everything = this.#offer({ upstreams: [] })
  }

  get servers(): Served {
    const sets = [...this.#sets].map(([set, { server }]) => [set, server] as const)
    return new Map<string | undefined, Server>([[undefined, this.everything.server], ...sets])
  }

  /** Offers what these upstreams have, in the sets of this config. */
  use(upstreams: readonly Upstream[], { sets }: Pick<GatewayConfig, 'sets'>): void {
    for (const [set, offer] of this.#sets) if (!Object.hasOwn(sets, set)) this.#drop(set, offer)
    this.everything.use({ upstreams })
    for (const [set, only] of Object.entries(sets)) {
      const known = this.#sets.get(set)
      if (known) known.use({ upstreams, only })
      else this.#sets.set(set, this.#offer({ upstreams, only }, set))
    }
  }

  /** Puts this around what begins from now on, in the sets that come later as well. */
  guard(guarding: types.ServerGuard): void {
    this.#server = { ...this.#server, ...guarding }
    this.everything.server.guard(guarding)
    for (const [set, { server }] of this.#sets) server.guard(marking(guarding, set))
  }

  /** Looks again at what is kept back, because something that was written about them has changed. */
  refresh(): void {
    for (const offer of [this.everything, ...this.#sets.values()]) offer.refresh()
  }

  /** Settles when nothing is being made ready to be offered. */
  async made(): Promise<void> {
    await Promise.all([this.everything, ...this.#sets.values()].map((offer) => offer.made()))
  }

  /** Clients are told to list the tools again: they may be shown others, though the upstreams have the same. */
  announce(names: readonly string[] | 'all'): void {
    // What waits to be accepted besides tools has its kind before its name.
    if (names !== 'all' && names.some((name) => name.includes(' ')))
      for (const offer of [this.everything, ...this.#sets.values()]) offer.refreshListed()
    for (const { server } of [this.everything, ...this.#sets.values()]) {
      const there = new Set(server.tools.names)
      const meant = names === 'all' ? [...there] : names.filter((name) => there.has(name))
      for (const name of meant) {
        server.tools.disable(name)
        server.tools.enable(name)
      }
    }
  }

  /** Settles when nothing is under way any more, or has taken too long. */
  async drain(ms = drainMs): Promise<void> {
    await Promise.all([...this.servers.values()].map((server) => server['~application'].drain(ms)))
  }

  close(): void {
    this.everything.close()
    for (const offer of this.#sets.values()) offer.close()
    this.#lot.close()
  }

  #drop(set: string, offer: AggregateServer): void {
    this.#sets.delete(set)
    offer.close()
    void offer.server['~application'].drain(drainMs)
  }

  #offer(offering: Pick<AggregateServerOptions, 'upstreams' | 'only'>, set?: string): AggregateServer {
    const server = set === undefined ? this.#server : marking(this.#server, set)
    return new AggregateServer({ ...offering, server, suspendedCalls: this.#lot, ...this.#told })
  }
}

const sets = new WeakMap<ListedTool, string>()

/** The set in which a tool is served; undefined where it is served with everything. */
export const setOf = ({ listed }: ReadyTool): string | undefined => sets.get(listed)

/** Stands around no call: it is asked about each tool when that is registered, which is when it marks it. */
function marking<G extends types.ServerGuard>(guarding: G, set: string): G {
  const applies = (tool: ReadyTool) => {
    sets.set(tool.listed, set)
    return false
  }
  const mark: Policy = { name: 'set', applies, call: (call, next) => next(call) }
  return { ...guarding, policies: [...(guarding.policies ?? []), mark] }
}
