// What the log says of the servers: a line when one comes, when one goes, and nothing of the tries between.
import type { JsonObject } from 'toolwire'
import type { UpstreamCatalog } from '../catalog/upstream-catalog.js'
import { redactedCommand } from '../config/describe-config.js'
import { shortReason } from '../upstreams/short-reason.js'
import type { Upstream } from '../upstreams/upstream.js'
import type { GatewayLogEntry } from './gateway-log.js'

type CatalogOf = (upstream: Upstream) => Pick<UpstreamCatalog, 'open' | 'tools'>
type Write = (level: GatewayLogEntry['level'], message: string, more?: JsonObject) => void

/** How a server was when the log last told of it. */
type Told = 'up' | 'down' | 'needs login'

export class UpstreamLog {
  readonly #write: Write
  readonly #told = new WeakMap<Upstream, Told>()
  /** When it began to be opened, the first time since it was there. */
  readonly #begun = new WeakMap<Upstream, number>()

  constructor(write: Write) {
    this.#write = write
  }

  changed(upstream: Upstream, catalogOf: CatalogOf): void {
    const { id, status } = upstream
    const { state, why } = status
    if (state === 'opening') this.#opening(upstream)
    else if (state === 'ready') void this.#ready(upstream, catalogOf)
    else if (state === 'needs login') this.#tell(upstream, state, why ?? `${id} needs a login`)
    else if (state === 'failing' || state === 'broken') this.#down(upstream, why ?? state)
    else this.#write('debug', `${id} is ${state}`)
  }

  #down(upstream: Upstream, why: string): void {
    const { id } = upstream
    const short = shortReason(why)
    this.#tell(upstream, 'down', `${id} is not available, and is tried again by itself: ${short}`)
    if (short !== why) this.#write('debug', `${id}: ${why}`, { server: id })
  }

  #opening(upstream: Upstream): void {
    const { target } = upstream.config
    if (!this.#begun.has(upstream)) this.#begun.set(upstream, performance.now())
    if (target.kind === 'child') this.#write('debug', `${upstream.id} is started: ${redactedCommand(target)}`)
  }

  /** Told when its tools have been read, so that one line says it all. */
  async #ready(upstream: Upstream, catalogOf: CatalogOf): Promise<void> {
    const { id, config, status } = upstream
    const since = this.#begun.get(upstream) ?? performance.now()
    this.#begun.delete(upstream)
    const again = this.#told.has(upstream) ? ' again' : ''
    this.#told.set(upstream, 'up')
    // Readers of the log and of the events hear of the change at the same time.
    await Promise.resolve()
    const catalog = catalogOf(upstream)
    await catalog.open()
    if (upstream.status.since !== status.since) return // it has gone meanwhile, which is told
    const count = catalog.tools.length
    const seconds = ((performance.now() - since) / 1_000).toFixed(1)
    const command = config.target.kind === 'child' ? { command: redactedCommand(config.target) } : {}
    const message = `${id} is ready${again}: ${count} ${count === 1 ? 'tool' : 'tools'}, after ${seconds} s`
    this.#write('info', message, { server: id, tools: count, seconds: Number(seconds), ...command })
  }

  #tell(upstream: Upstream, now: Told, message: string): void {
    const isNews = this.#told.get(upstream) !== now
    this.#told.set(upstream, now)
    this.#write(isNews ? 'warning' : 'debug', message, { server: upstream.id })
  }
}
