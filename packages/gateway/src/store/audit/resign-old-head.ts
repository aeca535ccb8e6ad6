// Older versions signed the retention mark, after which the log begins, like a head for export, so one could replace the other.
import { existsSync } from 'node:fs'
import { join } from 'node:path'
import type { AuditLog } from 'toolwire/guard'
import { readOrCreateSecret } from '../data-directory.js'
import type { ThreadClient } from '../thread-client.js'
import { recordAction } from './record-action.js'
import { type HeadSigner, parseSignedHead } from './signed-head.js'

/** Records that heads are signed in the current format. It is a file, because an attacker may control the database. */
export const headFormatFile = 'audit.format'

type Parts = {
  readonly directory: string
  readonly thread: ThreadClient
  readonly signer: HeadSigner
  readonly log: AuditLog
  readonly onNote: (words: string) => void
}

/** Signs an old mark for its purpose: once in a data directory, only if the log continues from it, and with a record of it. */
export async function resignOldHead({ directory, thread, signer, log, onNote }: Parts): Promise<void> {
  const file = join(directory, headFormatFile)
  if (existsSync(file)) return
  const mark = parseSignedHead((await thread.run('mark')) ?? '')
  if (mark && !signer.isOurs(mark, 'retention') && signer.isOurs(mark, 'head')) {
    const { sequence, hash } = mark
    const verdict = await thread.watch('verify', { from: { sequence, hash }, head: undefined, until: sequence + 1 })
    if (verdict.ok && verdict.entries === 1) {
      await recordAction(log, { by: 'toolwire', act: 'renew-retention-mark', about: { sequence, hash } })
      await thread.write('putMark', JSON.stringify(signer.sign({ sequence, hash }, 'retention')))
      onNote(
        `The audit log begins after record ${sequence}. The retention mark was signed by an older version of Toolwire in a format ` +
          'that signed heads have too. It was signed again, once. If you have never set "retention", the beginning of the log was cut off.',
      )
    }
  }
  await readOrCreateSecret(file, () => '2\n')
}
