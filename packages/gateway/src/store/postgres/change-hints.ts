// A hint that something was decided elsewhere, for those who wait for it here. It may be lost: decisions are found without it as well.
import { connectMs, loadPostgres } from './connection.js'

/** Longer than it usually takes until the next one waits. */
const lingerMs = 30_000
const againMs = 5_000

/** A name that a gateway listens to; others write it in SQL. */
export const hintChannel = (replica: string): string => `toolwire ${replica}`
/** For a decision about what another gateway holds: it takes a lock that all of these take in turn, so it is said to nobody else. */
export const hintHolder = (decider: string): string =>
  `CASE WHEN held AND holder <> ${decider} THEN pg_notify(left('toolwire ' || holder, 63), '') END`

type Heard = { readonly onHint: () => void; readonly onLost: () => void }

/** Undefined behind a pooler: it lends a connection to others, who would hear what this one listens to. */
export async function listenTo(url: string, channel: string, { onHint, onLost }: Heard): Promise<(() => void) | undefined> {
  const { default: pg } = await loadPostgres()
  const client = new pg.Client({
    ...{ connectionString: url, application_name: 'toolwire', keepAlive: true },
    ...{ connectionTimeoutMillis: connectMs, query_timeout: connectMs },
  })
  const close = () => void client.end().catch(() => undefined)
  client.on('error', onLost)
  client.on('notification', onHint)
  try {
    await client.connect()
    const { rows } = await client.query<{ pid: number }>('SELECT pg_backend_pid() AS pid')
    // What the server has said of itself when this began. A pooler says something of its own.
    const { processID } = client as unknown as { readonly processID: unknown } // the types leave it out
    if (rows[0]?.pid !== processID) {
      close()
      return undefined
    }
    await client.query(`LISTEN "${channel}"`)
    return close
  } catch (thrown) {
    close()
    throw thrown
  }
}

/** Listens while somebody waits, and a little longer, so that gateways where nobody does take no connection for it. */
export function changeHints(listen: (heard: Heard) => ReturnType<typeof listenTo>, onHint: () => void) {
  let waiting = 0
  let listening: ReturnType<typeof listenTo> | undefined
  let lingering: NodeJS.Timeout | undefined
  let notBefore = 0

  function begin(): void {
    clearTimeout(lingering)
    if (listening || performance.now() < notBefore) return
    notBefore = performance.now() + againMs
    const opened: ReturnType<typeof listenTo> = listen({ onHint, onLost: () => void (listening === opened && end()) })
    opened.then(
      (close) => {
        if (!close) notBefore = Number.POSITIVE_INFINITY
      },
      () => listening === opened && end(),
    )
    listening = opened
  }

  function end(): void {
    clearTimeout(lingering)
    void listening?.then((close) => close?.()).catch(() => undefined)
    listening = undefined
  }

  return {
    /** Somebody waits until the returned function is called. */
    wait(): () => void {
      waiting++
      begin()
      return () => {
        waiting--
        if (waiting === 0) lingering = setTimeout(end, lingerMs).unref()
      }
    },
    end,
  }
}
