// One offer of everything, and one for each set of tools: all of the same upstreams, behind the same guard.
import type { Server } from 'toolwire'
import type { GatewayConfig } from '../config/config.js'
import type { Endpoints as Served } from '../door/door.js'
import { Offer, type OfferOptions } from '../offers/offer.js'
import { ParkingLot } from '../offers/parking-lot.js'
import type { Upstream } from '../upstreams/upstream.js'

export type EndpointsOptions = {
  readonly server: OfferOptions['server']
  readonly onNote: (text: string) => void
}

const drainMs = 10_000

export class Endpoints {
  readonly everything: Offer
  readonly #options: EndpointsOptions
  readonly #lot = new ParkingLot()
  readonly #sets = new Map<string, Offer>()

  constructor(options: EndpointsOptions) {
    this.#options = options
    this.everything = this.#offer([], undefined)
  }

  get servers(): Served {
    const sets = [...this.#sets].map(([set, { server }]) => [set, server] as const)
    return new Map<string | undefined, Server>([[undefined, this.everything.server], ...sets])
  }

  /** Offers what these upstreams have, in the sets of this config. */
  use(upstreams: readonly Upstream[], { sets }: GatewayConfig): void {
    for (const [set, offer] of this.#sets) if (!Object.hasOwn(sets, set)) this.#drop(set, offer)
    this.everything.use({ upstreams })
    for (const [set, only] of Object.entries(sets)) {
      const known = this.#sets.get(set)
      if (known) known.use({ upstreams, only })
      else this.#sets.set(set, this.#offer(upstreams, only))
    }
  }

  /** Clients are told to list the tools again: they may be shown others, though the upstreams have the same. */
  announce(names: readonly string[] | 'all'): void {
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

  #drop(set: string, offer: Offer): void {
    this.#sets.delete(set)
    offer.close()
    void offer.server['~application'].drain(drainMs)
  }

  #offer(upstreams: readonly Upstream[], only: readonly string[] | undefined): Offer {
    const { server, onNote } = this.#options
    return new Offer({ upstreams, server, lot: this.#lot, onNote, ...(only && { only }) })
  }
}
