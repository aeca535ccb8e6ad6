import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import type { ApiKeyRecord } from 'toolwire/auth'
import type { Grant, Pin, PinStore } from 'toolwire/guard'
import { storedApprovals } from './approvals/stored-approvals.js'
import { resignOldHead } from './audit/resign-old-head.js'
import type { Retention } from './audit/retention.js'
import { headSigner, newSigningKey } from './audit/signed-head.js'
import { storedAudit } from './audit/stored-audit.js'
import { prepareDataDirectory, readOrCreateSecret } from './data-directory.js'
import { monotonicNow, readClock } from './database/thread/clock-moment.js'
import { type KnownServer, knownServers } from './mirrored/known-servers.js'
import { type MemoryMirror, memoryMirror } from './mirrored/memory-mirror.js'
import { storedGrants } from './mirrored/stored-grants.js'
import { storedKeys } from './mirrored/stored-keys.js'
import { storedToolMarks } from './mirrored/tool-marks.js'
import { createSealer, deriveKey, newVaultKey, readVaultKey } from './secrets/seal.js'
import { storedVault } from './secrets/stored-vault.js'
import type { LastRun, Store, StoredSession } from './store.js'
import { StoreFailure } from './store-failure.js'
import { StoreHealth } from './store-health.js'
import { ThreadClient } from './thread-client.js'

/** Beside the entry that this was bundled into, one above its chunks, or built beside these sources. */
const places = ['./store-worker.js', '../store-worker.js', '../../dist/store-worker.js']

/** The file that the thread with the database starts with. */
function workerUrl(): URL {
  const found = places.map((place) => new URL(place, import.meta.url)).find((url) => existsSync(fileURLToPath(url)))
  if (!found) throw new Error('store-worker.js is missing: install the package again, or build it with npm run build')
  return found
}

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

const retainEveryMs = 3_600_000

/** Opens the data directory for this process alone. */
export async function openStore(directory: string, options: StoreOptions = {}): Promise<Store> {
  const { retention, vaultKey, worker = workerUrl(), now = monotonicNow, onNote = warn } = options
  const file = prepareDataDirectory(directory)
  const threadClient = await ThreadClient.open(worker, { directory, file, now: readClock(now()), wall: Date.now() })
  try {
    if (threadClient.note !== undefined) onNote(threadClient.note)
    const health = new StoreHealth(threadClient)
    const secret = await vaultKeyIn(directory, vaultKey)
    const signing = headSigner(await readOrCreateSecret(join(directory, 'audit.key'), newSigningKey))
    const audit = storedAudit({ desk: threadClient, health, signer: signing, begin: await threadClient.run('head') })
    await resignOldHead({ directory, desk: threadClient, health, signer: signing, log: audit, onNote })
    const parts = { desk: threadClient, health }
    const approvals = await storedApprovals({
      ...parts,
      now,
      onNote,
      seal: createSealer(deriveKey(secret, 'toolwire approvals')),
    })
    const stop = retention ? everyHour(() => audit.retain(retention), onNote) : () => undefined
    return {
      audit,
      approvals,
      grants: storedGrants(await memoryMirror<Grant>('grants', parts), now),
      pins: storedPins(await memoryMirror<Pin>('pins', parts)),
      marks: storedToolMarks(await memoryMirror<object>('marks', parts)),
      servers: await knownServers(await memoryMirror<KnownServer | string>('servers', parts)),
      keys: storedKeys(await memoryMirror<ApiKeyRecord>('keys', parts)),
      sessions: await memoryMirror<StoredSession>('sessions', parts),
      inForce: await memoryMirror<LastRun>('in-force', parts),
      vault: storedVault({ ...parts, seal: createSealer(deriveKey(secret, 'toolwire vault')) }),
      digestKey: deriveKey(secret, 'toolwire audit digests'),
      get trouble() {
        return health.trouble
      },
      async close() {
        stop()
        approvals.close()
        await audit.quiet()
        health.stop()
        await threadClient.close()
      },
    }
  } catch (thrown) {
    await threadClient.close()
    throw thrown
  }
}

async function vaultKeyIn(directory: string, given = process.env.TOOLWIRE_VAULT_KEY): Promise<Uint8Array> {
  if (given !== undefined && given !== '') return readVaultKey(given, 'TOOLWIRE_VAULT_KEY')
  const file = join(directory, 'vault.key')
  return readVaultKey(await readOrCreateSecret(file, newVaultKey), file)
}

function everyHour(retain: () => Promise<number>, onNote: (words: string) => void): () => void {
  const work = () =>
    void retain().catch((thrown: unknown) => {
      // `trouble` reports failures of the disk.
      if (!(thrown instanceof StoreFailure)) onNote(String(thrown))
    })
  work()
  const timer = setInterval(work, retainEveryMs).unref()
  return () => clearInterval(timer)
}
