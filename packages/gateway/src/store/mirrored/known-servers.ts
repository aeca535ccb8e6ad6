import { randomBytes } from 'node:crypto'
import type { ServerFacts, ServerIdentity } from '../../config/servers/server-identity.js'
import type { MemoryMirror } from './memory-mirror.js'

/** A server that was reached once, by what it was. */
export type KnownServer = {
  readonly name: string
  readonly facts: ServerFacts
  /** Milliseconds since 1970 when it was reached first. */
  readonly at: number
}

export type KnownServers = Awaited<ReturnType<typeof knownServers>>

const mostKept = 1_000
const saltKey = 'salt'

/** What servers were, by their identities: to say what has changed where another one has the name now. */
export async function knownServers(kept: MemoryMirror<KnownServer | string>) {
  const before = kept.get(saltKey)
  const salt = typeof before === 'string' ? before : randomBytes(32).toString('hex')
  // Where nothing can be written, nothing is accepted for later either; `trouble` says so.
  if (salt !== before) await kept.put(saltKey, salt).catch(() => undefined)
  const servers = new Map(kept.entries().flatMap(([key, one]) => (typeof one === 'object' ? [[key, one] as const] : [])))
  return {
    /** Goes into every identity, and is the same for as long as the data directory is. */
    salt,
    get(identity: string): KnownServer | undefined {
      const other = kept.get(identity)
      return servers.get(identity) ?? (typeof other === 'object' ? other : undefined)
    },
    /** Known at once, and after a restart when this has settled. */
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
