// The upstreams of the config in force. A new config adds new ones, reopens changed ones, and keeps the rest.
import { isDeepStrictEqual } from 'node:util'
import type { UpstreamConfig } from '../config/gateway-config.js'
import { Upstream, type UpstreamChange } from '../upstreams/upstream.js'
import type { UpstreamClientOptions } from './open-client.js'

type UpstreamSetOptions = {
  readonly optionsFor: (config: UpstreamConfig) => UpstreamClientOptions
  readonly onChange: (upstream: Upstream, change: UpstreamChange) => void
}

export class UpstreamSet {
  readonly #options: UpstreamSetOptions
  all: readonly Upstream[] = []

  constructor(options: UpstreamSetOptions) {
    this.#options = options
  }

  /** Applies new configs, and returns the upstreams that are no longer needed. The caller closes them once they are no longer offered. */
  useConfigs(configs: readonly UpstreamConfig[]): readonly Upstream[] {
    const before = this.all
    this.all = configs.filter(({ disabled }) => !disabled).map((config) => this.#kept(config) ?? this.#made(config))
    return before.filter((upstream) => !this.all.includes(upstream))
  }

  /** Replaces an upstream with a new one, and returns the old one. */
  replace(id: string): Upstream | undefined {
    const old = this.all.find((upstream) => upstream.id === id)
    this.all = this.all.map((upstream) => (upstream === old ? this.#made(upstream.config) : upstream))
    return old
  }

  #kept(config: UpstreamConfig): Upstream | undefined {
    const known = this.all.find(({ id }) => id === config.id)
    if (!known || !isDeepStrictEqual(reached(known.config), reached(config))) return undefined
    known.config = config
    return known
  }

  #made(config: UpstreamConfig): Upstream {
    const upstream = new Upstream(config, this.#options.optionsFor(config))
    upstream.onChange((change) => this.#options.onChange(upstream, change))
    return upstream
  }
}

/** The settings that require a new connection. */
const reached = ({ target, revision, trusted, timeout }: UpstreamConfig) => ({ target, revision, trusted, timeout })
