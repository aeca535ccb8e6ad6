// Events go to watchers and to the log, without secrets or hidden characters, and bounded in length.
import type { JsonObject } from 'toolwire'
import { plainText } from 'toolwire/relay'

import type { MissingName } from '../catalog/missing-names/missing-name.js'
import { heldBackLines } from '../guard/pins/held-back-lines.js'
import type { HeldBackDefinition } from '../guard/pins/pin-views.js'
import type { EventFeed, EventKind } from '../monitoring/event-feed.js'
import { shortText } from '../monitoring/short-text.js'
import { cutAtWord, withoutPrintedSecrets } from '../upstreams/printed-secrets.js'
import type { Upstream } from '../upstreams/upstream.js'
import { type CatalogOf, upstreamLog } from './upstream-log.js'

export type GatewayLogEntry = { readonly level: 'debug' | 'info' | 'warning' | 'error'; readonly message: string } & JsonObject

type GatewayLogOptions = {
  readonly events: EventFeed
  readonly onLog: (entry: GatewayLogEntry) => void
  readonly mask: (text: string) => string
}

const mostRead = 8 * 1024
/** Larger than the input, because hidden characters take more room when they are made visible. */
const longest = 16 * 1024

/** Prepares a text for the log: masks secrets, makes hidden characters visible, and cuts it. */
export const cleanLogText = (text: string, mask: GatewayLogOptions['mask']): string =>
  plainText.visible(withoutPrintedSecrets(mask(cutAtWord(text, mostRead)))).slice(0, longest)

/** The name of a resource is its URI, of any length. */
const longestName = 1_024

/** Log lines for drifts that arrive together. */
const mostLines = 20

export class GatewayLog {
  readonly #options: GatewayLogOptions
  readonly #upstreams = upstreamLog((level, message, more) => this.write(level, message, more))
  #complained = false

  constructor(options: GatewayLogOptions) {
    this.#options = options
  }

  write(level: GatewayLogEntry['level'], message: string, more: JsonObject = {}): void {
    try {
      const { mask } = this.#options
      const shown = Object.entries(more).map(([key, value]) => [
        key,
        typeof value === 'string' ? cleanLogText(value, mask) : value,
      ])
      this.#options.onLog({ ...Object.fromEntries(shown), level, message: cleanLogText(message, mask) })
    } catch (thrown) {
      // A log that cannot be written is reported once, and the gateway goes on.
      if (!this.#complained) process.emitWarning(`The log of the gateway cannot be written: ${String(thrown)}`)
      this.#complained = true
    }
  }

  add(kind: EventKind, data: JsonObject): void {
    this.#options.events.add(kind, data)
  }

  /** Reports that a new config or policy cannot be used, or with undefined that it can again. */
  reportTrouble(
    kind: 'policy' | 'config',
    trouble: Error | undefined,
    instead = `the previous ${kind === 'policy' ? 'rules stay' : 'config stays'} in force`,
  ): void {
    this.add(kind, trouble ? { what: 'trouble', why: cleanLogText(trouble.message, this.#options.mask) } : { what: 'mended' })
    if (trouble) this.write('error', `${trouble.message}; ${instead}`)
  }

  upstream(upstream: Upstream, catalogOf: CatalogOf): void {
    const { id, status } = upstream
    const { state, why } = status
    this.add('upstream', { server: id, state, ...(why !== undefined && { why: cleanLogText(why, this.#options.mask) }) })
    this.#upstreams(upstream, catalogOf)
  }

  /** Logs stderr output of a server's process. */
  printed(server: string, text: string): void {
    this.write('debug', `${server}: ${text}`, { server, stderr: text })
  }

  /** Logs names that do not exist, and places that are corrected now. */
  names(missing: readonly MissingName[], found: readonly MissingName[]): void {
    for (const { message, isPrecaution } of missing) this.write(isPrecaution ? 'info' : 'warning', message)
    for (const { where, isPrecaution } of found) if (!isPrecaution) this.write('info', `${where}: this is corrected now`)
    this.add('config', { what: 'names' })
  }

  /** Watchers get each definition; the log gets one line for those with the same reason. */
  drifted(drifts: readonly HeldBackDefinition[]): void {
    for (const { server = '', tool, hash, before, advice, serverChange } of drifts) {
      const what = serverChange !== undefined ? 'another server' : before ? 'changed' : 'new'
      this.add('pin', { what, server, tool: shortText(tool, longestName), hash, advice: advice.map(({ kind }) => kind) })
    }
    const lines = heldBackLines(drifts)
    for (const line of lines.slice(0, mostLines)) this.write('warning', line)
    if (lines.length > mostLines)
      this.write('warning', `Definitions are withheld for ${lines.length - mostLines} more reasons. To list them: toolwire pins`)
  }
}
