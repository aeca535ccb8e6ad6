import { join } from 'node:path'
import type { ApiKeyRecord } from 'toolwire/auth'
import type { Grant, Pin, PinStore } from 'toolwire/guard'
import { builtFile } from '../config/built-file.js'
import { storedApprovals } from './approvals/stored-approvals.js'
import { resignOldHead } from './audit/resign-old-head.js'
import { type Retention, retentionSchedule } from './audit/retention.js'
import { headSigner, newSigningKey } from './audit/signed-head.js'
import { storedAudit } from './audit/stored-audit.js'
import { prepareDataDirectory, readOrCreateSecret } from './data-directory.js'
import { monotonicNow } from './database/thread/messages.js'
import { type KnownServer, knownServers } from './mirrored/known-servers.js'
import { type MemoryMirror, memoryMirror } from './mirrored/memory-mirror.js'
import { storedGrants } from './mirrored/stored-grants.js'
import { storedKeys } from './mirrored/stored-keys.js'
import { storedToolMarks } from './mirrored/tool-marks.js'
import { createSealer, deriveKey, newVaultKey, readVaultKey } from './secrets/seal.js'
import { storedVault } from './secrets/stored-vault.js'
import type { LastRun, Store, StoredSession } from './store.js'
import { ThreadClient } from './thread-client.js'

/** Accepted definitions, in the database. */
function storedPins(kept: MemoryMirror<Pin>): PinStore {
  return {
    get: (server, tool) => kept.get(keyOf(server, tool)),
    set: (pin) => kept.put(keyOf(pin.server, pin.tool), pin),
    delete: (server, tool) => kept.drop(keyOf(server, tool)),
    list: () => kept.entries().map(([, pin]) => pin),
  }
}

/** No two pairs have the same. */
const keyOf = (server: string | undefined, tool: string): string => JSON.stringify([server ?? null, tool])

export type StoreOptions = {
  /** How much of the log is kept: looked at once an hour. */
  readonly retention?: Retention
  /** For the sealed credentials: 32 bytes as hexadecimal or base64. Without it, `TOOLWIRE_VAULT_KEY` or a file in the data directory. */
  readonly vaultKey?: string | undefined
  /** Hears what the operator should know about the data directory. */
  readonly onNote?: (words: string) => void
  /** The file that the thread with the database starts with. */
  readonly worker?: URL
  /** Milliseconds of a clock that nobody can set. */
  readonly now?: () => number
}

const warn = (words: string): void => process.emitWarning(words)

/** Opens the data directory for this process alone. */
export async function openStore(directory: string, options: StoreOptions = {}): Promise<Store> {
  const { retention = {}, vaultKey, now = monotonicNow, onNote = warn } = options
  const { worker = builtFile('store-worker.js', 'store-worker.js') } = options
  const file = prepareDataDirectory(directory)
  const thread = await ThreadClient.open(worker, { directory, file, wall: Date.now() }, now)
  try {
    if (thread.note !== undefined) onNote(thread.note)
    const secret = await vaultKeyIn(directory, vaultKey)
    const signer = headSigner(await readOrCreateSecret(join(directory, 'audit.key'), newSigningKey))
    const audit = storedAudit(thread, signer, await thread.run('head'))
    await resignOldHead({ directory, thread, signer, log: audit, onNote })
    const approvals = await storedApprovals(thread, createSealer(deriveKey(secret, 'toolwire approvals')), onNote)
    const schedule = retentionSchedule(audit, onNote)
    schedule.use(retention)
    return {
      audit,
      approvals,
      grants: storedGrants(await memoryMirror<Grant>('grants', thread), now),
      pins: storedPins(await memoryMirror<Pin>('pins', thread)),
      marks: storedToolMarks(await memoryMirror<object>('marks', thread)),
      servers: await knownServers(await memoryMirror<KnownServer | string>('servers', thread)),
      keys: storedKeys(await memoryMirror<ApiKeyRecord>('keys', thread)),
      sessions: await memoryMirror<StoredSession>('sessions', thread),
      inForce: await memoryMirror<LastRun>('in-force', thread),
      vault: storedVault(thread, createSealer(deriveKey(secret, 'toolwire vault'))),
      digestKey: deriveKey(secret, 'toolwire audit digests'),
      get trouble() {
        return thread.health.trouble
      },
      async close() {
        schedule.close()
        approvals.close()
        await audit.quiet()
        thread.health.stop()
        await thread.close()
      },
    }
  } catch (thrown) {
    await thread.close()
    throw thrown
  }
}

async function vaultKeyIn(directory: string, given = process.env.TOOLWIRE_VAULT_KEY): Promise<Uint8Array> {
  if (given !== undefined && given !== '') return readVaultKey(given, 'TOOLWIRE_VAULT_KEY')
  const file = join(directory, 'vault.key')
  return readVaultKey(await readOrCreateSecret(file, newVaultKey), file)
}
