// What a server has said that it offers, and so may be asked for.

import { CallFailure } from '../errors.js'
import type { Connection } from './connection.js'

const capabilityFor: readonly (readonly [prefix: string, capability: string])[] = [
  ['tools/', 'tools'],
  ['resources/', 'resources'],
  ['prompts/', 'prompts'],
  ['completion/', 'completions'],
  ['logging/', 'logging'],
]

export class ServerCapabilities {
  readonly #connection: Connection
  readonly #name: string

  constructor(connection: Connection, name: string) {
    this.#connection = connection
    this.#name = name
  }

  /** Where nobody has asked the server what it offers, it may be tried. */
  has(capability: string): boolean {
    const offered = this.#connection.current?.capabilities
    return offered === undefined || offered[capability] !== undefined
  }

  /** Throws, once connected, when the server does not offer what the method belongs to. */
  async require(method: string): Promise<void> {
    if (!this.#connection.current) await this.#connection.session()
    const [, capability] = capabilityFor.find(([prefix]) => method.startsWith(prefix)) ?? []
    // The first editions had completion without declaring it.
    if (capability === undefined || (capability === 'completions' && !this.#connection.revision.capabilities.completions)) return
    if (!this.has(capability))
      throw new CallFailure('not_offered', `${this.#name} does not offer ${capability}, so ${method} cannot be asked of it`)
  }
}
