// Stops every process of a PostgreSQL server. The server then keeps its connections open and answers nothing.
import { readFileSync } from 'node:fs'
import pg from 'pg'

/** Returns a function that resumes the processes. */
export async function freezePostgres(url: string): Promise<() => void> {
  const client = new pg.Client(url)
  await client.connect()
  const { rows } = await client.query<{ pid: number }>("SELECT pid FROM pg_stat_activity WHERE backend_type = 'client backend'")
  await client.end()
  const pids = rows.map(({ pid }) => pid)
  // The parent process is stopped, too, so that no new connection is accepted.
  const [first = 0] = pids
  const parent = Number(
    readFileSync(`/proc/${first}/stat`, 'utf8')
      .replace(/^.*\) /, '')
      .split(' ')[1],
  )
  const all = [parent, ...pids].filter((pid) => signalled(pid, 'SIGSTOP'))
  return () => {
    for (const pid of all) signalled(pid, 'SIGCONT')
  }
}

/** Returns false if the process has already ended. */
function signalled(pid: number, signal: NodeJS.Signals): boolean {
  try {
    return process.kill(pid, signal)
  } catch (thrown) {
    if (thrown instanceof Error && 'code' in thrown && thrown.code === 'ESRCH') return false
    throw thrown
  }
}
