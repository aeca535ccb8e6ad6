// At first the mark that says where the log begins was signed like the heads that are given out, so the one could stand for the other.
import { randomUUID } from 'node:crypto'
import { existsSync } from 'node:fs'
import { join } from 'node:path'
import type { AuditHead, AuditLog } from 'toolwire/guard'
import { readOrCreateSecret } from '../data-directory.js'
import type { StoreHealth } from '../store-health.js'
import type { ThreadClient } from '../thread-client.js'
import { type HeadSigner, parseSignedHead } from './signed-head.js'

/** Records that heads are signed in the current format. It is a file, because an attacker may control the database. */
export const headFormatFile = 'audit.format'

type Parts = {
  readonly directory: string
  readonly desk: ThreadClient
  readonly health: StoreHealth
  readonly signer: HeadSigner
  readonly log: AuditLog
  readonly onNote: (words: string) => void
}

/** Signs an old mark for its purpose: once in the life of a data directory, if the log goes on from it, and with a record of it. */
export async function resignOldHead({ directory, desk: threadClient, health, signer, log, onNote }: Parts): Promise<void> {
  const file = join(directory, headFormatFile)
  if (existsSync(file)) return
  const mark = parseSignedHead((await threadClient.run('mark')) ?? '')
  if (mark && !signer.isOurs(mark, 'retention') && signer.isOurs(mark, 'head')) {
    const { sequence, hash } = mark
    const verdict = await threadClient.watch('verify', { from: { sequence, hash }, head: undefined, until: sequence + 1 })
    if (verdict.ok && verdict.entries === 1) {
      await record(log, { sequence, hash })
      await health.of(threadClient.run('putMark', JSON.stringify(signer.sign({ sequence, hash }, 'retention'))))
      onNote(
        `The audit log begins after record ${sequence}. An older version of Toolwire signed that, and its signature could also be one of a ` +
          'signed head that was put there. It was signed again, once. If you have never set "retention", the beginning of the log was cut off.',
      )
    }
  }
  await readOrCreateSecret(file, () => '2\n')
}

async function record(log: AuditLog, about: AuditHead): Promise<void> {
  const common = { id: `act-${randomUUID()}`, tool: 'toolwire/renew-retention-mark', definitionHash: 'none', caller: 'toolwire' }
  const at = Date.now()
  await log.append({ ...common, kind: 'intent', at, arguments: { ...about } })
  await log.append({ ...common, kind: 'outcome', at, durationMs: 0, decision: 'allowed', outcome: 'ok' })
}
