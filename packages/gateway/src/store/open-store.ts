import { join } from 'node:path'
import type { ApiKeyRecord } from 'toolwire/auth'
import type { Grant, Pin } from 'toolwire/guard'
import { prepareDirectory, secretFile } from './data-directory.js'
import { momentOf, sameEverywhere } from './database/moment.js'
import { Desk } from './desk.js'
import { StoreFailure } from './failure.js'
import { Health } from './health.js'
import { type KnownServer, knownServers } from './known-servers.js'
import { storedMarks } from './marks.js'
import { mirror } from './mirror.js'
import { renewOldMark } from './old-mark.js'
import type { Retention } from './retention.js'
import { derivedKey, newVaultKey, readVaultKey, sealWith } from './seal.js'
import { newSigningKey, signer } from './signed-head.js'
import type { InForce, Store, StoredSession } from './store.js'
import { storedApprovals } from './stored-approvals.js'
import { storedAudit } from './stored-audit.js'
import { storedGrants } from './stored-grants.js'
import { storedKeys } from './stored-keys.js'
import { storedPins } from './stored-pins.js'
import { storedVault } from './stored-vault.js'
import { workerUrl } from './worker-url.js'

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
  const { retention, vaultKey, worker = workerUrl(), now = sameEverywhere, onNote = warn } = options
  const file = prepareDirectory(directory)
  const desk = await Desk.open(worker, { directory, file, now: momentOf(now()), wall: Date.now() })
  try {
    if (desk.note !== undefined) onNote(desk.note)
    const health = new Health(desk)
    const secret = await vaultKeyIn(directory, vaultKey)
    const signing = signer(await secretFile(join(directory, 'audit.key'), newSigningKey))
    const audit = storedAudit({ desk, health, signer: signing, begin: await desk.ask('head') })
    await renewOldMark({ directory, desk, health, signer: signing, log: audit, onNote })
    const parts = { desk, health }
    const approvals = await storedApprovals({ ...parts, now, onNote, seal: sealWith(derivedKey(secret, 'toolwire approvals')) })
    const stop = retention ? everyHour(() => audit.retain(retention), onNote) : () => undefined
    return {
      audit,
      approvals,
      grants: storedGrants(await mirror<Grant>('grants', parts), now),
      pins: storedPins(await mirror<Pin>('pins', parts)),
      marks: storedMarks(await mirror<object>('marks', parts)),
      servers: await knownServers(await mirror<KnownServer | string>('servers', parts)),
      keys: storedKeys(await mirror<ApiKeyRecord>('keys', parts)),
      sessions: await mirror<StoredSession>('sessions', parts),
      inForce: await mirror<InForce>('in-force', parts),
      vault: storedVault({ ...parts, seal: sealWith(derivedKey(secret, 'toolwire vault')) }),
      digestKey: derivedKey(secret, 'toolwire audit digests'),
      get trouble() {
        return health.trouble
      },
      async close() {
        stop()
        approvals.close()
        await audit.quiet()
        health.stop()
        await desk.close()
      },
    }
  } catch (thrown) {
    await desk.close()
    throw thrown
  }
}

async function vaultKeyIn(directory: string, given = process.env.TOOLWIRE_VAULT_KEY): Promise<Uint8Array> {
  if (given !== undefined && given !== '') return readVaultKey(given, 'TOOLWIRE_VAULT_KEY')
  const file = join(directory, 'vault.key')
  return readVaultKey(await secretFile(file, newVaultKey), file)
}

function everyHour(retain: () => Promise<number>, onNote: (words: string) => void): () => void {
  const work = () =>
    void retain().catch((thrown: unknown) => {
      // Whatever is wrong with the disk is told by `trouble`.
      if (!(thrown instanceof StoreFailure)) onNote(String(thrown))
    })
  work()
  const timer = setInterval(work, retainEveryMs).unref()
  return () => clearInterval(timer)
}
