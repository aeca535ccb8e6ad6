// Connection pools of replicas with one database.
import pg from 'pg'

const ignored = () => undefined // a pool without a listener for errors ends the process

export function replicaPools(url: string) {
  const open: pg.Pool[] = []
  return {
    /** The pool of another replica. */
    pool(settings: pg.PoolConfig = {}): pg.Pool {
      const made = new pg.Pool({
        connectionString: url,
        max: 4,
        connectionTimeoutMillis: 3_000,
        allowExitOnIdle: true,
        ...settings,
      })
      made.on('error', ignored)
      open.push(made)
      return made
    },
    close: async () => void (await Promise.all(open.splice(0).map((one) => one.end()))),
  }
}
