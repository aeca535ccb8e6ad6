// Ends open responses when their credentials no longer hold: revoked, expired, or removed from the config. The check is the same as
// when the request arrived.
import type { IncomingMessage, ServerResponse } from 'node:http'
import type { Arrival, Authenticate } from 'toolwire/auth'
import { wire } from 'toolwire/relay'
import type { StoredKeys } from '../store/mirrored/stored-keys.js'

const everyMs = 2_000

export function credentialWatch(authenticate: Authenticate, keys: Pick<StoredKeys, 'onRevoke'>) {
  const open = new Map<ServerResponse, IncomingMessage>()
  const timer = setInterval(() => void sweep(), everyMs).unref()
  const stop = keys.onRevoke(() => void sweep())

  /** Checks each credential once, however many responses depend on it. */
  async function sweep(): Promise<void> {
    const judged = new Map<string, Promise<boolean>>()
    for (const [res, req] of [...open]) {
      const shown = credentialsOf(req)
      const verdict = judged.get(shown) ?? holds(requestCredentials(req))
      judged.set(shown, verdict)
      if (!(await verdict)) wire.destroyResponse(res)
    }
  }

  async function holds(arrival: Arrival): Promise<boolean> {
    // An issuer that cannot be reached does not revoke a credential.
    try {
      const found = await authenticate(arrival)
      return found !== undefined && (!('denied' in found) || found.denied === 'temporarily_unavailable')
    } catch {
      return true
    }
  }

  return {
    /** Watches a request that has credentials; without credentials there is nothing to revoke. */
    add(req: IncomingMessage, res: ServerResponse): void {
      open.set(res, req)
      res.once('close', () => open.delete(res))
    },
    close(): void {
      clearInterval(timer)
      stop()
    },
  }
}

const credentialsOf = ({ headers: { authorization, 'x-api-key': key } }: IncomingMessage): string => `${authorization}\n${key}`

/** The parts of a request that authentication reads. */
export const requestCredentials = ({ headers, url = '/', socket }: IncomingMessage): Arrival => ({
  header: (name) => headers[name]?.toString(),
  url,
  remote: socket.remoteAddress,
  port: socket.localPort,
})
