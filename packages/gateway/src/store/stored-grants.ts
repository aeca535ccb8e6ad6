import type { Grant, Grants } from 'toolwire/guard'
import type { Mirror } from './mirror.js'

const mostKept = 1_000
/** No grant is given for longer. */
const longestMs = 28_800_000

/** Grants, in the database. Setting the clock back does not make them last longer: not while the process lives, nor by more than 8 hours. */
export function storedGrants(kept: Mirror<Grant>, now: () => number): Grants {
  const ends = new Map<string, number>()
  const begin = ({ id, expiresAt }: Grant) => ends.set(id, now() + Math.min(expiresAt - Date.now(), longestMs))
  const isOver = (id: string) => (ends.get(id) ?? 0) <= now()
  for (const [, grant] of kept.entries()) begin(grant)

  async function revoke(id: string): Promise<void> {
    ends.delete(id)
    await kept.drop(id)
  }

  return {
    list: () => kept.entries().flatMap(([id, grant]) => (isOver(id) ? [] : [grant])),
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
