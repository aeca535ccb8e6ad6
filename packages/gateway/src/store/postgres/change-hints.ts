// A hint that another gateway has decided something, for calls that wait here. Without the hint, decisions are found a little later.
import { clientAddress, connectMs, loadPostgres } from './connection.js'

/** Longer than the usual time until the next call waits. */
const lingerMs = 30_000
const againMs = 5_000

/** The channel on which a gateway listens; other gateways write its name in SQL. */
export const hintChannel = (replica: string): string => `toolwire ${replica}`
/** Notifies only the gateway that holds the call, because each notification takes a lock that all of them share. */
export const hintHolder = (decider: string): string =>
  `CASE WHEN held AND holder <> ${decider} THEN pg_notify(left('toolwire ' || holder, 63), '') END`

type HintListener = { readonly onHint: () => void; readonly onLost: () => void }

/** Returns undefined behind a pooler, which lends the connection to others, so that they would get the notifications. */
export async function listenTo(
  url: string,
  channel: string,
  { onHint, onLost }: HintListener,
): Promise<(() => void) | undefined> {
  const { default: pg } = await loadPostgres()
  const client = new pg.Client({
    ...{ connectionString: clientAddress(url), application_name: 'toolwire', keepAlive: true },
    ...{ connectionTimeoutMillis: connectMs, query_timeout: connectMs },
  })
  const close = () => void client.end().catch(() => undefined)
  client.on('error', onLost)
  client.on('notification', onHint)
  try {
    await client.connect()
    const { rows } = await client.query<{ pid: number }>('SELECT pg_backend_pid() AS pid')
    // The process id that the server sent at the start. A pooler sends one of its own.
    const { processID } = client as unknown as { readonly processID: unknown } // missing in the types
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

/** Listens while a call waits, and a little longer, so that a gateway without waiting calls needs no connection for it. */
export function changeHints(listen: (heard: HintListener) => ReturnType<typeof listenTo>, onHint: () => void) {
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
    /** Registers a waiting call, until the returned function is called. */
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
