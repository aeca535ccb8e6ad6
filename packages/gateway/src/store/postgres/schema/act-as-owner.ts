import type { Sql } from '../connection.js'

/**
 * Runs work as the role that owns the log, so that tables made by one member of that role can be used and dropped by all members. Requires a
 * transaction. The work runs as the user itself if there is no log yet, or if its owner may not create tables.
 */
export async function actAsOwner(sql: Sql, work: () => Promise<void>): Promise<void> {
  await sql(
    `SELECT set_config('role', pg_get_userbyid(relowner), true) FROM pg_class
     WHERE relnamespace = to_regnamespace('toolwire') AND relname = 'audit' AND pg_get_userbyid(relowner) <> current_user
       AND has_schema_privilege(relowner, relnamespace, 'CREATE')`,
  )
  await work()
  await sql('SET LOCAL role TO DEFAULT')
}
