// One aggregate server for everything, and one for each set of tools. All share the upstreams and the guard.

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

/** The server of each set by its name, and under undefined the server with everything. */
export type ServedEndpoints = ReadonlyMap<string | undefined, Server>

type AggregateServersOptions = Omit<AggregateServerOptions, 'upstreams' | 'only' | 'suspendedCalls' | 'onRegister'> & {
  /** Called with each tool that is made, and its set; the set is undefined for the server with everything. */
  readonly onRegister?: (tool: ReadyTool, set: string | undefined) => void
  /** Wraps each question of an upstream. */
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
  /** Sets that are no longer served, while calls to them may still wait. */
  readonly #dropped = new Set<AggregateServer>()
  #guarding: types.ServerGuard = {}

  constructor({ onQuestion, catalogs = new UpstreamCatalogs(), ...options }: AggregateServersOptions) {
    this.#suspendedCalls = new SuspendedCalls(onQuestion && { onQuestion })
    this.#options = { ...options, catalogs }
    this.#gatewayId = gatewayId(options.server.secret)
    this.everything = this.#offer({ upstreams: [] })
  }

  get servers(): ServedEndpoints {
    const sets = [...this.#sets].map(([set, { server }]) => [set, server] as const)
    return new Map<string | undefined, Server>([[undefined, this.everything.server], ...sets])
  }

  /** Offers the definitions of these upstreams, in the sets of this config. */
  use(upstreams: readonly Upstream[], { sets }: Pick<GatewayConfig, 'sets'>): void {
    for (const [set, offer] of this.#sets) if (!Object.hasOwn(sets, set)) this.#drop(set, offer)
    this.everything.use({ upstreams })
    for (const [set, only] of Object.entries(sets)) {
      const known = this.#sets.get(set)
      if (known) known.use({ upstreams, only })
      else this.#sets.set(set, this.#offer({ upstreams, only }, set))
    }
  }

  /** Applies a guard to calls that start from now on, also in sets that are added later. */
  guard(guarding: types.ServerGuard): void {
    this.#guarding = { ...this.#guarding, ...guarding }
    for (const { server } of this.#all) server.guard(guarding)
  }

  /** Makes the definitions again, because acceptance or withholding has changed. */
  refresh(): void {
    for (const offer of this.#all) offer.refresh()
  }

  /** Settles when all definitions have been made. */
  async made(): Promise<void> {
    await Promise.all(this.#all.map((offer) => offer.made()))
  }

  /** Tells clients to list the tools again: their view may have changed although the upstreams' tools have not. */
  announce(names?: readonly string[]): void {
    // Names of accepted prompts and resources start with their kind and a space.
    const others = names?.some((name) => name.includes(' ')) ? (['resources', 'prompts'] as const) : []
    for (const offer of this.#all) offer.refresh(others)
    for (const { server } of this.#all) server.tools.announce(names)
  }

  /** Tells clients to list everything again, because other rules may show other entries to them. */
  announceAll(): void {
    this.announce()
    for (const { server } of this.#all) for (const entries of [server.resources, server.prompts]) entries.announce()
  }

  /** True if an endpoint whose set passes the check offers anything of the upstream. */
  offers(id: string, isMeant: (set: string | undefined) => boolean): boolean {
    const all: readonly (readonly [string | undefined, AggregateServer])[] = [[undefined, this.everything], ...this.#sets]
    return all.some(([set, offer]) => isMeant(set) && offer.offers(id))
  }

  /** Settles when no call is running, or after the time limit. */
  async drain(ms = drainMs): Promise<void> {
    const end = performance.now() + ms
    await Promise.all(this.#all.map(({ server }) => server['~application'].drain(ms)))
    // With replicas, callers can still resume suspended calls, through another replica.
    const isWaiting = () => this.#options.server.replica !== undefined && this.#suspendedCalls.size > 0
    while (isWaiting() && performance.now() < end) await new Promise((resolve) => setTimeout(resolve, lookEveryMs))
  }

  close(): void {
    for (const offer of this.#all) offer.close()
    this.#suspendedCalls.close()
  }

  get #all(): readonly AggregateServer[] {
    return [this.everything, ...this.#sets.values(), ...this.#dropped]
  }

  /** Withdraws all definitions of a set, so that no waiting call to it is made any more. */
  #drop(set: string, offer: AggregateServer): void {
    this.#sets.delete(set)
    this.#dropped.add(offer)
    offer.use({ upstreams: [] })
    void offer.server['~application'].drain(drainMs).then(() => {
      this.#dropped.delete(offer)
      offer.close()
    })
  }

  #offer(offering: Pick<AggregateServerOptions, 'upstreams' | 'only'>, set?: string): AggregateServer {
    const { onRegister, server, ...options } = this.#options
    const { secret } = server
    return new AggregateServer({
      ...offering,
      ...options,
      // Other gateways see all sets as one gateway, but a token from one set is not valid in another.
      ownGatewayId: this.#gatewayId,
      server: { ...server, ...(secret !== undefined && { secret: secretOf(secret, set) }), ...this.#guarding },
      suspendedCalls: this.#suspendedCalls,
      onRegister: onRegister && ((tool) => onRegister(tool, set)),
    })
  }
}

/** A secret for each set, which is the same on every replica and after each start. */
function secretOf(secret: string | readonly string[], set: string | undefined): string | readonly string[] {
  if (set === undefined) return secret
  const derived = [secret].flat().map((one) => createHmac('sha256', one).update(`toolwire set ${set}`).digest('hex'))
  return typeof secret === 'string' ? derived.join('') : derived
}
