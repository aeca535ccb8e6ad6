// Calls a server and handles refusals like the HTTP transport.
import type { Credentials } from '../../../src/peer/client-transport.js'

type Call = {
  /** The URL of the connection, if it differs. */
  readonly server?: string
  readonly httpMethod?: 'GET' | 'POST' | 'DELETE'
  readonly method?: string
  readonly tries?: number
}

/** The status of the final response. */
export async function call(credentials: Credentials, url: string, options: Call = {}): Promise<number> {
  const { server = url, httpMethod = 'POST', method = 'tools/call', tries = 9 } = options
  const request = { server, url, httpMethod }
  const sent = await credentials.headers(request)
  const response = await fetch(url, { method: httpMethod, headers: sent, redirect: 'manual' })
  const header = (name: string) => response.headers.get(name) ?? undefined
  credentials.answered?.({ ...request, sent, status: response.status, header })
  await response.text()
  const { status } = response
  if ((status !== 401 && status !== 403) || tries === 0) return status
  const again = await credentials.refused({
    ...request,
    sent,
    status,
    wwwAuthenticate: header('www-authenticate'),
    header,
    method,
  })
  return again ? call(credentials, url, { ...options, tries: tries - 1 }) : status
}

/** The rejection of the promise. */
export const thrownBy = (work: Promise<unknown>): Promise<unknown> =>
  work.then(
    () => undefined,
    (thrown: unknown) => thrown,
  )
