import type { ApiKeyRecord } from 'toolwire/auth'
import type { Grant, Pin } from 'toolwire/guard'
import { storedApprovals } from './approvals/stored-approvals.js'
import { type KnownServer, knownServers } from './mirrored/known-servers.js'
import { type MemoryMirror, memoryMirror } from './mirrored/memory-mirror.js'
import { type SharedClock, storedGrants } from './mirrored/stored-grants.js'
import { storedKeys } from './mirrored/stored-keys.js'
import { storedToolMarks } from './mirrored/tool-marks.js'
import { deriveKey, storeSealers } from './secrets/seal.js'
import { storedVault } from './secrets/stored-vault.js'
import type { LastRun, Store, StoredPins, StoredSession } from './store.js'
import type { StoreClient } from './store-client.js'

function storedPins(kept: MemoryMirror<Pin>): StoredPins {
  return {
    get: (server, tool) => kept.get(keyOf(server, tool)),
    set: (pin) => kept.put(keyOf(pin.server, pin.tool), pin),
    setAll: (pins) => kept.putAll(pins.map((pin) => [keyOf(pin.server, pin.tool), pin])),
    delete: (server, tool) => kept.drop(keyOf(server, tool)),
    list: () => kept.entries().map(([, pin]) => pin),
    refresh: kept.refresh,
    onAccept: (listener) =>
      kept.onChange((_, pin) => {
        if (pin) listener(pin)
      }),
  }
}

const keyOf = (server: string | undefined, tool: string): string => JSON.stringify([server ?? null, tool])

type StoreParts = Omit<Store, 'audit' | 'spentTickets' | 'fleet' | 'trouble' | 'spooled' | 'close'>

type Parts = {
  /** The key of the vault, from which other keys are derived. */
  readonly secret: Uint8Array
  /** Milliseconds of a clock that never goes back. */
  readonly now: () => number
  readonly onNote: (words: string) => void
  readonly clock?: SharedClock
}

/** All parts of a store except the audit log, over any database. */
export async function storeParts(client: StoreClient, { secret, now, onNote, clock }: Parts): Promise<StoreParts> {
  const sealers = storeSealers(secret)
  const unique = { keysAreUnique: true }
  return {
    approvals: await storedApprovals(client, sealers.approvals, onNote),
    grants: storedGrants(await memoryMirror<Grant>('grants', client, unique), now, clock),
    pins: storedPins(await memoryMirror<Pin>('pins', client)),
    marks: storedToolMarks(await memoryMirror<object>('marks', client)),
    servers: await knownServers(await memoryMirror<KnownServer | string>('servers', client)),
    keys: storedKeys(await memoryMirror<ApiKeyRecord>('keys', client, unique)),
    sessions: await memoryMirror<StoredSession>('sessions', client, unique),
    inForce: await memoryMirror<LastRun>('in-force', client),
    vault: storedVault(client, sealers.vault),
    logins: await memoryMirror<string>('logins', client),
    digestKey: deriveKey(secret, 'toolwire audit digests'),
  }
}
