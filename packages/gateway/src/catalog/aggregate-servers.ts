// One offer of everything, and one for each set of tools: all of the same upstreams, behind the same guard.

import type { Server } from 'toolwire'
import type { ReadyTool } from 'toolwire/guard'
import type { types } from 'toolwire/relay'
import type { GatewayConfig } from '../config/gateway-config.js'
import { type OnQuestion, SuspendedCalls } from '../relay/suspended-calls.js'
import type { Upstream } from '../upstreams/upstream.js'
import { AggregateServer, type AggregateServerOptions } from './aggregate-server.js'
import { UpstreamCatalogs } from './upstream-catalog.js'

/** What is served where: everything under no name, sets under theirs. */
export type ServedEndpoints = ReadonlyMap<string | undefined, Server>

type AggregateServersOptions = {
  readonly server: AggregateServerOptions['server']
  readonly onNote: (text: string) => void
  readonly onProgress?: AggregateServerOptions['onProgress']
  readonly heldBack?: AggregateServerOptions['heldBack']
  readonly isAnother?: AggregateServerOptions['isAnother']
  readonly isOpen?: AggregateServerOptions['isOpen']
  readonly onMade?: AggregateServerOptions['onMade']
  readonly catalogs?: UpstreamCatalogs
  /** Hears of each tool that is made ready, and in which set: undefined where it is served with everything. */
  readonly onRegister?: (tool: ReadyTool, set: string | undefined) => void
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

  constructor({ server, onQuestion, catalogs = new UpstreamCatalogs(), ...told }: AggregateServersOptions) {
    this.#lot = new SuspendedCalls(onQuestion && { asked: onQuestion })
    this.#server = server
    this.#told = { ...told, catalogs }
    this.everything = this.#offer({ upstreams: [] })
  }

  get servers(): ServedEndpoints {
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
    for (const { server } of this.#sets.values()) server.guard(guarding)
  }

  /** Looks again at what is withheld, because something that was written about them has changed. */
  refresh(): void {
    for (const offer of [this.everything, ...this.#sets.values()]) offer.refresh()
  }

  /** Settles when nothing is being made ready to be offered. */
  async made(): Promise<void> {
    await Promise.all([this.everything, ...this.#sets.values()].map((offer) => offer.made()))
  }

  /** Clients are told to list the tools again: they may be shown others, though the upstreams have the same. */
  announce(names?: readonly string[]): void {
    // What waits to be accepted besides tools has its kind before its name.
    if (names?.some((name) => name.includes(' ')))
      for (const offer of [this.everything, ...this.#sets.values()]) offer.refreshListed()
    for (const { server } of [this.everything, ...this.#sets.values()]) server.tools.announce(names)
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
    const { onRegister, ...told } = this.#told
    return new AggregateServer({
      ...offering,
      ...told,
      server: this.#server,
      suspendedCalls: this.#lot,
      onRegister: onRegister && ((tool) => onRegister(tool, set)),
    })
  }
}
