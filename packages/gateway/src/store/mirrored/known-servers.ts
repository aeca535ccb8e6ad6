import { randomBytes } from 'node:crypto'
import type { ServerFacts, ServerIdentity } from '../../config/servers/server-identity.js'
import type { MemoryMirror } from './memory-mirror.js'

/** A server that was reached once, with the facts about it. */
export type KnownServer = {
  readonly name: string
  readonly facts: ServerFacts
  /** Time when the server was first reached, in milliseconds since 1970. */
  readonly at: number
}

export type KnownServers = Awaited<ReturnType<typeof knownServers>>

const mostKept = 1_000
const saltKey = 'salt'

/** Servers by their identities, to describe the change when another server has the name. */
export async function knownServers(kept: MemoryMirror<KnownServer | string>) {
  const before = kept.get(saltKey)
  const salt = typeof before === 'string' ? before : randomBytes(32).toString('hex')
  // If the salt cannot be written, nothing that is accepted can be stored either; `trouble` reports it.
  if (salt !== before) await kept.put(saltKey, salt).catch(() => undefined)
  const servers = new Map(kept.entries().flatMap(([key, one]) => (typeof one === 'object' ? [[key, one] as const] : [])))
  return {
    /** Part of every identity, and constant for the life of the data directory. */
    salt,
    get(identity: string): KnownServer | undefined {
      const other = kept.get(identity)
      return servers.get(identity) ?? (typeof other === 'object' ? other : undefined)
    },
    /** The server is known at once, and after a restart once the promise has settled. */
    async add(name: string, { id, facts }: ServerIdentity): Promise<void> {
      if (servers.has(id)) return
      const server = { name, facts, at: Date.now() }
      servers.set(id, server)
      if (servers.size > mostKept) {
        const [oldest] = [...servers].sort(([, one], [, other]) => one.at - other.at)
        if (oldest) {
          servers.delete(oldest[0])
          await kept.drop(oldest[0])
        }
      }
      await kept.put(id, server)
    },
  }
}
