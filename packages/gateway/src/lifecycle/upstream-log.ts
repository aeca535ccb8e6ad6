// What the log says of the servers: a line when one comes, when one goes, and nothing of the tries between.
import type { JsonObject } from 'toolwire'
import type { UpstreamCatalog } from '../catalog/upstream-catalog.js'
import { redactedCommand } from '../config/describe-config.js'
import { shortReason } from '../upstreams/short-reason.js'
import type { Upstream } from '../upstreams/upstream.js'
import type { GatewayLogEntry } from './gateway-log.js'

export type CatalogOf = (upstream: Upstream) => Pick<UpstreamCatalog, 'open' | 'tools'>
type Write = (level: GatewayLogEntry['level'], message: string, more?: JsonObject) => void

/** How a server was when the log last told of it. */
type Told = 'up' | 'down' | 'needs login'

export function upstreamLog(write: Write) {
  const told = new WeakMap<Upstream, Told>()
  /** When it began to be opened, the first time since it was there. */
  const begun = new WeakMap<Upstream, number>()

  function opening(upstream: Upstream): void {
    const { target } = upstream.config
    if (!begun.has(upstream)) begun.set(upstream, performance.now())
    if (target.kind === 'child') write('debug', `${upstream.id} is started: ${redactedCommand(target)}`)
  }

  /** Told when its tools have been read, so that one line says it all. */
  async function ready(upstream: Upstream, catalogOf: CatalogOf): Promise<void> {
    const { id, config, status } = upstream
    const since = begun.get(upstream) ?? performance.now()
    begun.delete(upstream)
    const again = told.has(upstream) ? ' again' : ''
    told.set(upstream, 'up')
    // Readers of the log and of the events hear of the change at the same time.
    await Promise.resolve()
    const catalog = catalogOf(upstream)
    await catalog.open()
    if (upstream.status.since !== status.since) return // it has gone meanwhile, which is told
    const count = catalog.tools.length
    const seconds = ((performance.now() - since) / 1_000).toFixed(1)
    const command = config.target.kind === 'child' ? { command: redactedCommand(config.target) } : {}
    const message = `${id} is ready${again}: ${count} ${count === 1 ? 'tool' : 'tools'}, after ${seconds} s`
    write('info', message, { server: id, tools: count, seconds: Number(seconds), ...command })
  }

  function down(upstream: Upstream, why: string): void {
    const { id } = upstream
    const short = shortReason(why)
    tell(upstream, 'down', `${id} is not available, and is tried again by itself: ${short}`)
    if (short !== why) write('debug', `${id}: ${why}`, { server: id })
  }

  function tell(upstream: Upstream, now: Told, message: string): void {
    const isNews = told.get(upstream) !== now
    told.set(upstream, now)
    write(isNews ? 'warning' : 'debug', message, { server: upstream.id })
  }

  /** Told of each change of a server. */
  return (upstream: Upstream, catalogOf: CatalogOf): void => {
    const { id, status } = upstream
    const { state, why } = status
    if (state === 'opening') opening(upstream)
    else if (state === 'ready') void ready(upstream, catalogOf)
    else if (state === 'needs login') tell(upstream, state, why ?? `${id} needs a login`)
    else if (state === 'failing' || state === 'broken') down(upstream, why ?? state)
    else write('debug', `${id} is ${state}`)
  }
}
