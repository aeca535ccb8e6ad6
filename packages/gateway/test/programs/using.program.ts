// Uses approvals as fast as it can, and prints which.
import { writeSync } from 'node:fs'
import { recordsOf } from '../../src/store/audit/record-action.js'
import { openPostgresStore } from '../../src/store/postgres/open-postgres-store.js'
import { asked } from '../support/approval-requests.js'

const [, , directory = ''] = process.argv
const store = await openPostgresStore(process.env.STORE ?? '', directory)

async function lane(): Promise<never> {
  for (;;) {
    const request = asked({ held: false, caller: `${process.pid}` })
    const { id, digest } = request
    await store.approvals.add(request, 1_000)
    await store.approvals.decide(id, 'allow')
    const records = recordsOf({ by: 'eve', act: 'use-approval', about: { id } })
    if (await store.approvals.release(id, digest, (use) => store.audit.appendWithUse(records, use))) writeSync(1, `used ${id}\n`)
  }
}

await Promise.all(Array.from({ length: 4 }, lane))
