// The data directory keeps the public key that signs its log, so that another key is not used unnoticed.
import { auditSignerIn, type GivenKeys, refuseMissingSigner, refuseOtherSigner } from '../secrets/gateway-keys.js'
import type { ThreadClient } from '../thread-client.js'
import { runRecorded } from './record-action.js'
import { type HeadSigner, isSignedBy, parseSignedHead, publicKeyOf } from './signed-head.js'
import type { StoredAudit } from './stored-audit.js'

/** The signer of the log in the directory. Creates a key only if nothing was signed yet. */
export async function openLogSigner(thread: ThreadClient, directory: string, keys: GivenKeys): Promise<HeadSigner> {
  if (!(await thread.run('head'))) return auditSignerIn(directory, keys)
  const log = { directory, keys, known: await thread.run('signingKey') }
  refuseMissingSigner(log)
  const signer = await auditSignerIn(directory, keys)
  refuseOtherSigner(signer, log)
  return signer
}

type Parts = {
  readonly thread: ThreadClient
  readonly signer: HeadSigner
  readonly log: StoredAudit
  readonly onNote: (words: string) => void
}

/** Keeps the public key of the log. A key that the operator has replaced is recorded, and the retention mark is signed again. */
export async function keepLogSigner({ thread, signer, log, onNote }: Parts): Promise<void> {
  const { publicKey } = signer
  const before = await thread.run('signingKey')
  if (before === publicKey) return
  const keep = () => thread.write('putSigningKey', publicKey)
  if (before === undefined || !log.head) return keep()
  const mark = parseSignedHead((await thread.run('mark')) ?? '')
  await runRecorded(log, { by: 'toolwire', act: 'replace-signing-key', about: { before, now: publicKey } }, async () => {
    if (mark?.key === before && isSignedBy(mark, publicKeyOf(before), 'retention'))
      await thread.write('putMark', JSON.stringify(signer.sign(mark, 'retention')))
    await keep()
  })
  onNote(
    `The audit log is signed with the key ${publicKey} from now on, and no longer with ${before}. Keep the heads that a witness has, ` +
      'and name another file or address in "witness.to", because a witness with heads of two keys does not match the log.',
  )
}
