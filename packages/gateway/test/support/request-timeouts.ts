// Timeouts that requests of this process have in undici, which Node's own `fetch` uses as well.
import { subscribe, unsubscribe } from 'node:diagnostics_channel'
import { onTestFinished } from 'vitest'

type Timeouts = { readonly headersTimeout: number | null; readonly bodyTimeout: number | null }

/** The timeouts of each request to the origin from now on. Null is the usual one, five minutes. */
export function requestTimeoutsOf(url: string): readonly Timeouts[] {
  const { origin } = new URL(url)
  const found: Timeouts[] = []
  const note = (message: unknown) => {
    const { request } = message as { request: Timeouts & { origin: string | URL } } // what undici publishes
    const { headersTimeout, bodyTimeout } = request
    if (new URL(request.origin).origin === origin) found.push({ headersTimeout, bodyTimeout })
  }
  subscribe('undici:request:create', note)
  onTestFinished(() => void unsubscribe('undici:request:create', note))
  return found
}
