// What is known of the era that a server is from: from connections before this one, and from the server itself.
import type { JsonObject } from '../json.js'
import type { Way } from '../peer/link.js'
import type { Editions } from '../revisions/editions.js'
import type { Revision } from '../revisions/revision.js'
import { isAtTheDoor } from './doubts.js'
import { type Discovered, type Opened, open } from './opening.js'
import type { Host } from './session.js'
import type { Verdicts } from './verdicts.js'

export type AcquaintanceOptions = {
  readonly way: Way
  readonly editions: Editions
  readonly discover: boolean
  readonly verdicts: Verdicts
}

export class Acquaintance {
  readonly #options: AcquaintanceOptions
  #discovered: Discovered | undefined
  /** What was assumed of the server has turned out to be wrong: from now on it is asked. */
  #mistaken = false

  constructor(options: AcquaintanceOptions) {
    this.#options = options
  }

  /** Whether the server has told this client what it offers. */
  get hasTold(): boolean {
    return this.#discovered !== undefined
  }

  /** Whether it could be from another era than the one that is assumed. */
  get hasOtherEras(): boolean {
    return this.#options.discover || this.#options.editions.handshake.length > 0
  }

  /** Opens a session in the era that is known, or in the one that is found out when that was wrong. */
  async open(host: Host, isWanted: () => boolean): Promise<Opened> {
    const { way, editions, verdicts } = this.#options
    const known = verdicts.get(way.key)
    const discover = this.#options.discover || this.#mistaken
    const options = { editions, known, discover, discovered: this.#discovered }
    return open(way, host, options).catch((thrown) => {
      if (!known || !isWanted() || isAtTheDoor(thrown)) throw thrown
      verdicts.delete(way.key)
      return open(way, host, { ...options, known: undefined })
    })
  }

  /** From the server itself, and not from before. */
  learnt(revision: Revision, { said, older }: { said: JsonObject | undefined; older: boolean }): void {
    const { way, verdicts } = this.#options
    this.#discovered = said && revision.opening === 'per-request' ? { said, at: performance.now() } : undefined
    verdicts.set(way.key, { revision: revision.version, at: Date.now(), ...(older && { older }) })
  }

  /** What was assumed was wrong. */
  forget(): void {
    this.#mistaken = true
    this.#discovered = undefined
    this.#options.verdicts.delete(this.#options.way.key)
  }
}
