import type { Grant, GrantStore } from '../policy/approve/grants.js'
import { forgetRows, type RunSql, startTime, storable } from './database.js'

const list = `
SELECT details, extract(epoch FROM until - clock_timestamp())::float8 * 1000 AS left_ms
FROM toolwire.shared_grants WHERE until > clock_timestamp() ORDER BY added_at DESC LIMIT 1000
`

const add = `
INSERT INTO toolwire.shared_grants (id, details, until) VALUES ($1, $2, clock_timestamp() + $3::float8 * interval '1 millisecond')
ON CONFLICT (id) DO UPDATE SET details = excluded.details, until = excluded.until
`

const revoke = 'DELETE FROM toolwire.shared_grants WHERE id = $1'

export const forgetGrants = forgetRows('shared_grants', 'id', `until < ${startTime}`)

/** Grants by the clock of the database. Each replica gets their end by its own clock. */
export const sharedGrants = (sql: RunSql): GrantStore => ({
  async list() {
    const rows = await sql<{ details: string; left_ms: number }>(list, [])
    const now = Date.now()
    return rows.map(({ details, left_ms: leftMs }): Grant => ({ ...JSON.parse(details), expiresAt: now + Number(leftMs) }))
  },
  async add(grant) {
    await sql(add, [storable(grant.id), JSON.stringify(grant), grant.expiresAt - Date.now()])
  },
  async revoke(id) {
    await sql(revoke, [storable(id)])
  },
})
