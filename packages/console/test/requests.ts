// Requests of the page itself, and of a thief who has a part of its credentials.
import type { Page } from 'playwright-core'

export type Reply = { readonly status: number; readonly body: Record<string, unknown> }
type Asking = { readonly method?: string; readonly body?: object; readonly key?: string }

/** The session key that the page stores besides the cookie. */
export const keyOf = (page: Page): Promise<string> => page.evaluate(() => localStorage.getItem('toolwire-session') ?? '')

/** Sends a request from a script on this page, with the cookies of its browser. */
export async function askFrom(page: Page, path: string, { method = 'GET', body, key }: Asking = {}): Promise<Reply> {
  const headers = { ...(key !== undefined && { 'x-toolwire-session': key }), ...(body && { 'content-type': 'application/json' }) }
  return page.evaluate(
    async ([url, init]) => {
      const response = await fetch(url, init)
      return { status: response.status, body: await response.json() }
    },
    [path, { method, headers, ...(body && { body: JSON.stringify(body) }) }] as const,
  )
}
