import type { Grant, GrantStore } from 'toolwire/guard'
import type { MemoryMirror } from './memory-mirror.js'

const mostKept = 1_000
/** No grant is given for longer. */
const longestMs = 28_800_000

/** A clock that is further off than this was set. */
const setMs = 1_000

/** Grants, in the database. Setting the clock does not make them last longer, or less long, while the process lives, nor by more than 8 hours. */
export function storedGrants(kept: MemoryMirror<Grant>, now: () => number): GrantStore {
  const ends = new Map<string, number>()
  const begin = ({ id, expiresAt }: Grant) => ends.set(id, now() + Math.min(expiresAt - Date.now(), longestMs))
  const isOver = (id: string) => (ends.get(id) ?? 0) <= now()
  /** As the clock on the wall tells its end now. */
  function told(grant: Grant): Grant {
    const expiresAt = Date.now() + (ends.get(grant.id) ?? 0) - now()
    return Math.abs(expiresAt - grant.expiresAt) < setMs ? grant : { ...grant, expiresAt }
  }

  for (const [, grant] of kept.entries()) begin(grant)

  async function revoke(id: string): Promise<void> {
    ends.delete(id)
    await kept.drop(id)
  }

  return {
    list: () => kept.entries().flatMap(([id, grant]) => (isOver(id) ? [] : [told(grant)])),
    async add(grant) {
      for (const [id] of kept.entries()) if (isOver(id)) await revoke(id)
      const oldest = kept
        .entries()
        .map(([, grant]) => grant)
        .sort((a, b) => a.expiresAt - b.expiresAt)[0]
      if (oldest && kept.entries().length >= mostKept) await revoke(oldest.id)
      begin(grant)
      await kept.put(grant.id, grant)
    },
    revoke,
  }
}
