// Moves records and checkpoints into the past.
import type { Postgres } from '../../src/store/postgres/connection.js'

const daily = ['audit', 'calls', 'call_ends']

/** Replicas that are not in `alive` count as dead afterwards. */
export async function passDays({ transaction }: Postgres, days: number, alive: readonly string[] = []): Promise<void> {
  await transaction(async (sql) => {
    const old = await sql<{ day: string }>(`SELECT DISTINCT to_char(day - $1::int, 'YYYY-MM-DD') AS day FROM toolwire.audit`, [
      days,
    ])
    for (const { day } of old)
      for (const table of daily)
        await sql(
          `CREATE TABLE IF NOT EXISTS toolwire.${table}_${day.replaceAll('-', '')} PARTITION OF toolwire.${table}
           FOR VALUES FROM ('${day}') TO ('${dayAfter(day)}')`,
        )
    for (const table of daily) await sql(`UPDATE toolwire.${table} SET day = day - $1::int`, [days])
    await sql('UPDATE toolwire.audit_streams SET day = day - $1::int', [days])
    await sql(`UPDATE toolwire.audit_streams SET at = at - $1::int * interval '1 day' WHERE NOT stream = ANY($2::uuid[])`, [
      days,
      alive,
    ])
    await sql(`UPDATE toolwire.audit_checkpoints SET at = at - $1::int * interval '1 day'`, [days])
  })
}

const dayAfter = (day: string): string => new Date(Date.parse(day) + 86_400_000).toISOString().slice(0, 10)
