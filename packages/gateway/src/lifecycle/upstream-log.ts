// Logs when a server comes up and when it goes down. Repeated failures are logged at debug level.
import type { JsonObject } from 'toolwire'
import type { UpstreamCatalog } from '../catalog/upstream-catalog.js'
import { redactedCommand } from '../config/describe-config.js'
import { shortReason } from '../upstreams/short-reason.js'
import type { Upstream } from '../upstreams/upstream.js'
import type { GatewayLogEntry } from './gateway-log.js'

export type CatalogOf = (upstream: Upstream) => Pick<UpstreamCatalog, 'open' | 'tools'>
type Write = (level: GatewayLogEntry['level'], message: string, more?: JsonObject) => void

/** The state of a server in its last log line. */
type LoggedState = 'up' | 'down' | 'needs login'

export function upstreamLog(write: Write) {
  const lastLogged = new WeakMap<Upstream, LoggedState>()
  /** The time when opening began, for servers that are not ready yet. */
  const openingSince = new WeakMap<Upstream, number>()

  function opening(upstream: Upstream): void {
    const { target } = upstream.config
    if (!openingSince.has(upstream)) openingSince.set(upstream, performance.now())
    if (target.kind === 'child') write('debug', `${upstream.id} is started: ${redactedCommand(target)}`)
  }

  /** Logs that a server is ready, after its tools were read, so that one line is enough. */
  async function ready(upstream: Upstream, catalogOf: CatalogOf): Promise<void> {
    const { id, config, status } = upstream
    const since = openingSince.get(upstream) ?? performance.now()
    openingSince.delete(upstream)
    const again = lastLogged.has(upstream) ? ' again' : ''
    lastLogged.set(upstream, 'up')
    // Readers of the log and of the events hear of the change at the same time.
    await Promise.resolve()
    const catalog = catalogOf(upstream)
    await catalog.open()
    if (upstream.status.since !== status.since) return // it went down meanwhile, which is logged separately
    const count = catalog.tools.length
    const seconds = ((performance.now() - since) / 1_000).toFixed(1)
    const command = config.target.kind === 'child' ? { command: redactedCommand(config.target) } : {}
    const message = `${id} is ready${again}: ${count} ${count === 1 ? 'tool' : 'tools'}, after ${seconds} s`
    write('info', message, { server: id, tools: count, seconds: Number(seconds), ...command })
  }

  function down(upstream: Upstream, why: string): void {
    const { id } = upstream
    const short = shortReason(why)
    writeChange(upstream, 'down', `${id} is not available, and is retried automatically: ${short}`)
    if (short !== why) write('debug', `${id}: ${why}`, { server: id })
  }

  function writeChange(upstream: Upstream, now: LoggedState, message: string): void {
    const isNews = lastLogged.get(upstream) !== now
    lastLogged.set(upstream, now)
    write(isNews ? 'warning' : 'debug', message, { server: upstream.id })
  }

  return (upstream: Upstream, catalogOf: CatalogOf): void => {
    const { id, status } = upstream
    const { state, why } = status
    if (state === 'opening') opening(upstream)
    else if (state === 'ready') void ready(upstream, catalogOf)
    else if (state === 'needs login') writeChange(upstream, state, why ?? `${id} needs a login`)
    else if (state === 'failing' || state === 'broken') down(upstream, why ?? state)
    else write('debug', `${id} is ${state}`)
  }
}
