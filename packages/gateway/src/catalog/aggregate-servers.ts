// One offer of everything, and one for each set of tools: all of the same upstreams, behind the same guard.

import { createHmac } from 'node:crypto'
import type { Server } from 'toolwire'
import type { ReadyTool } from 'toolwire/guard'
import type { types } from 'toolwire/relay'
import type { GatewayConfig } from '../config/gateway-config.js'
import { type OnQuestion, SuspendedCalls } from '../relay/suspended-calls.js'
import type { Upstream } from '../upstreams/upstream.js'
import { AggregateServer, type AggregateServerOptions } from './aggregate-server.js'
import { gatewayId } from './definitions/gateway-loop.js'
import { UpstreamCatalogs } from './upstream-catalog.js'

/** What is served where: everything under no name, sets under theirs. */
export type ServedEndpoints = ReadonlyMap<string | undefined, Server>

type AggregateServersOptions = Omit<AggregateServerOptions, 'upstreams' | 'only' | 'suspendedCalls' | 'onRegister'> & {
  /** Hears of each tool that is made ready, and in which set: undefined where it is served with everything. */
  readonly onRegister?: (tool: ReadyTool, set: string | undefined) => void
  /** Stands around each question of an upstream. */
  readonly onQuestion?: OnQuestion
}

const drainMs = 10_000
const lookEveryMs = 20

export class AggregateServers {
  readonly everything: AggregateServer
  readonly #options: AggregateServersOptions
  readonly #suspendedCalls: SuspendedCalls
  readonly #gatewayId: string
  readonly #sets = new Map<string, AggregateServer>()
  #guarding: types.ServerGuard = {}

  constructor({ onQuestion, catalogs = new UpstreamCatalogs(), ...options }: AggregateServersOptions) {
    this.#suspendedCalls = new SuspendedCalls(onQuestion && { asked: onQuestion })
    this.#options = { ...options, catalogs }
    this.#gatewayId = gatewayId(options.server.secret)
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
    this.#guarding = { ...this.#guarding, ...guarding }
    for (const { server } of this.#all) server.guard(guarding)
  }

  /** Looks again at what is withheld, because something that was written about them has changed. */
  refresh(): void {
    for (const offer of this.#all) offer.refresh()
  }

  /** Settles when nothing is being made ready to be offered. */
  async made(): Promise<void> {
    await Promise.all(this.#all.map((offer) => offer.made()))
  }

  /** Clients are told to list the tools again: they may be shown others, though the upstreams have the same. */
  announce(names?: readonly string[]): void {
    // What waits to be accepted besides tools has its kind before its name.
    const others = names?.some((name) => name.includes(' ')) ? (['resources', 'prompts'] as const) : []
    for (const offer of this.#all) offer.refresh(others)
    for (const { server } of this.#all) server.tools.announce(names)
  }

  /** Settles when nothing is under way any more, or has taken too long. */
  async drain(ms = drainMs): Promise<void> {
    const end = performance.now() + ms
    await Promise.all(this.#all.map(({ server }) => server['~application'].drain(ms)))
    // Their callers come back, through the other replicas.
    const isWaiting = () => this.#options.server.replica !== undefined && this.#suspendedCalls.size > 0
    while (isWaiting() && performance.now() < end) await new Promise((resolve) => setTimeout(resolve, lookEveryMs))
  }

  close(): void {
    for (const offer of this.#all) offer.close()
    this.#suspendedCalls.close()
  }

  get #all(): readonly AggregateServer[] {
    return [this.everything, ...this.#sets.values()]
  }

  #drop(set: string, offer: AggregateServer): void {
    this.#sets.delete(set)
    offer.close()
    void offer.server['~application'].drain(drainMs)
  }

  #offer(offering: Pick<AggregateServerOptions, 'upstreams' | 'only'>, set?: string): AggregateServer {
    const { onRegister, server, ...options } = this.#options
    const { secret } = server
    return new AggregateServer({
      ...offering,
      ...options,
      // The sets of a gateway are one gateway to others, though a token of one is worth nothing at another.
      ownGatewayId: this.#gatewayId,
      server: { ...server, ...(secret !== undefined && { secret: secretOf(secret, set) }), ...this.#guarding },
      suspendedCalls: this.#suspendedCalls,
      onRegister: onRegister && ((tool) => onRegister(tool, set)),
    })
  }
}

/** Of each set another one, which is the same on every replica and after each start. */
function secretOf(secret: string | readonly string[], set: string | undefined): string | readonly string[] {
  if (set === undefined) return secret
  const derived = [secret].flat().map((one) => createHmac('sha256', one).update(`toolwire set ${set}`).digest('hex'))
  return typeof secret === 'string' ? derived.join('') : derived
}
