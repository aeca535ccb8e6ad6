// What happens is told twice: to whoever watches the gateway, and to the log. Neither hears a secret.
import type { JsonObject } from 'toolwire'
import type { Drift } from 'toolwire/guard'
import type { EventKind, Events } from '../door/events.js'
import type { Upstream } from '../upstreams/upstream.js'

/** A line of the log. */
export type Entry = { readonly level: 'debug' | 'info' | 'warning' | 'error'; readonly message: string } & JsonObject

export type NewsOptions = {
  readonly events: Events
  readonly onLog: (entry: Entry) => void
  readonly mask: (text: string) => string
}

export class News {
  readonly #options: NewsOptions

  constructor(options: NewsOptions) {
    this.#options = options
  }

  note(level: Entry['level'], message: string): void {
    this.#options.onLog({ level, message: this.#options.mask(message) })
  }

  add(kind: EventKind, data: JsonObject): void {
    this.#options.events.add(kind, data)
  }

  /** What was to come into force cannot be used; or, with undefined, it can again. */
  troubled(kind: 'policy' | 'config', trouble: Error | undefined): void {
    this.add(kind, trouble ? { what: 'trouble', why: this.#options.mask(trouble.message) } : { what: 'mended' })
    if (trouble) this.note('error', `${trouble.message}; what was in force before stays`)
  }

  upstream({ id, status: { state, why } }: Upstream): void {
    this.add('upstream', { server: id, state, ...(why !== undefined && { why: this.#options.mask(why) }) })
    if (why === undefined) this.note('info', `${id} is ${state}`)
    else this.note('warning', `${id} is ${state}: ${why}`)
  }

  drifted({ server = '', tool, hash, before, advice }: Drift): void {
    this.add('pin', { what: before ? 'changed' : 'new', server, tool, hash, advice: advice.map(({ kind }) => kind) })
    const what = before ? 'has changed' : 'is new'
    this.note('warning', `${tool} is kept back: its definition ${what}. Look at it and accept it: toolwire pins diff ${tool}`)
  }
}
