// What is still being answered ends when the credentials that it was asked with no longer hold: revoked, expired, or taken out of the
// config. Whether they hold is asked in the same way as when they came.
import type { IncomingMessage, ServerResponse } from 'node:http'
import type { Arrival, Authenticate } from 'toolwire/auth'
import type { StoredKeys } from '../store/mirrored/stored-keys.js'

const everyMs = 2_000

export class CredentialWatch {
  readonly #authenticate: Authenticate
  readonly #open = new Map<ServerResponse, IncomingMessage>()
  readonly #timer: NodeJS.Timeout
  readonly #stop: () => void

  constructor(authenticate: Authenticate, keys: Pick<StoredKeys, 'onRevoke'>) {
    this.#authenticate = authenticate
    this.#timer = setInterval(() => void this.sweep(), everyMs).unref()
    this.#stop = keys.onRevoke(() => void this.sweep())
  }

  /** Of a request that shows something: nothing else could be taken back. */
  add(req: IncomingMessage, res: ServerResponse): void {
    this.#open.set(res, req)
    res.once('close', () => this.#open.delete(res))
  }

  /** Looks at each of the credentials once, however much is asked for with them. */
  async sweep(): Promise<void> {
    const judged = new Map<string, Promise<boolean>>()
    for (const [res, req] of [...this.#open]) {
      const shown = credentialsOf(req)
      const verdict = judged.get(shown) ?? this.#holds(requestCredentials(req))
      judged.set(shown, verdict)
      if (!(await verdict)) res.destroy()
    }
  }

  close(): void {
    clearInterval(this.#timer)
    this.#stop()
  }

  async #holds(arrival: Arrival): Promise<boolean> {
    // An issuer that cannot be reached does not revoke a credential.
    try {
      const found = await this.#authenticate(arrival)
      return found !== undefined && (!('denied' in found) || found.denied === 'temporarily_unavailable')
    } catch {
      return true
    }
  }
}

const credentialsOf = ({ headers: { authorization, 'x-api-key': key } }: IncomingMessage): string => `${authorization}\n${key}`

/** A request, as those look at it who have to know who is calling. */
export const requestCredentials = ({ headers, url = '/', socket }: IncomingMessage): Arrival => ({
  header: (name) => headers[name]?.toString(),
  url,
  remote: socket.remoteAddress,
  port: socket.localPort,
})
