import type { Grant, GrantStore } from 'toolwire/guard'
import type { MemoryMirror } from './memory-mirror.js'

const mostKept = 1_000
const longestMs = 28_800_000

/** A larger difference means that a clock was set. */
const clockJumpMs = 1_000

/** For gateways that share grants: the lead of the shared clock, and the reason why revocations elsewhere are unknown. */
export type SharedClock = { readonly aheadMs: number; readonly trouble: unknown }

const ownClock: SharedClock = { aheadMs: 0, trouble: undefined }

export interface StoredGrants extends GrantStore {
  list(): readonly Grant[]
  revoke(id: string): Promise<void>
}

/** Grants in the database. Setting the clock does not change their duration while the process lives, and never by over 8 hours. */
export function storedGrants(kept: MemoryMirror<Grant>, now: () => number, shared = ownClock): StoredGrants {
  const ends = new Map<string, number>()
  /** The lead of the shared clock. A difference too small to be measured counts as none. */
  const ahead = () => (Math.abs(shared.aheadMs) < clockJumpMs ? 0 : Math.round(shared.aheadMs))
  const begin = ({ id, expiresAt }: Grant) => ends.set(id, now() + Math.min(expiresAt - ahead() - Date.now(), longestMs))
  const isOver = (id: string) => (ends.get(id) ?? 0) <= now()
  /** The grant, with its end by the current wall clock. */
  function withLocalEnd(grant: Grant): Grant {
    const expiresAt = Date.now() + (ends.get(grant.id) ?? 0) - now()
    return Math.abs(expiresAt - grant.expiresAt) < clockJumpMs ? grant : { ...grant, expiresAt }
  }

  for (const [, grant] of kept.entries()) begin(grant)
  kept.onChange((id, grant) => {
    if (grant) begin(grant)
    else ends.delete(id)
  })

  async function revoke(id: string): Promise<void> {
    ends.delete(id)
    await kept.drop(id)
  }

  return {
    list() {
      if (shared.trouble) throw shared.trouble
      return kept.entries().flatMap(([id, grant]) => (isOver(id) ? [] : [withLocalEnd(grant)]))
    },
    async add(given) {
      const grant = ahead() === 0 ? given : { ...given, expiresAt: given.expiresAt + ahead() }
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
