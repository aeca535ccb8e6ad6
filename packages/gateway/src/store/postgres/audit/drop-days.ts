import type { Retention } from '../../audit/retention.js'
import type { HeadSigner } from '../../audit/signed-head.js'
import type { Postgres } from '../connection.js'
import type { checkpointWriter } from './checkpoint-writer.js'

type Dropping = {
  readonly postgres: Postgres
  readonly signer: HeadSigner
  readonly checkpoints: ReturnType<typeof checkpointWriter>
}

/** Drops whole days. */
export async function dropDays(_parts: Dropping, { records }: Retention): Promise<number> {
  if (records !== undefined)
    throw new Error('"retention.records" counts within one gateway. With PostgreSQL, set "retention.days"')
  return 0
}
