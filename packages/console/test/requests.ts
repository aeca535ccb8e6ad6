// Requests as the page itself makes them, and as somebody makes them who has stolen a part of what it shows.
import type { Page } from 'playwright-core'

export type Reply = { readonly status: number; readonly body: Record<string, unknown> }
type Asking = { readonly method?: string; readonly body?: object; readonly key?: string }

/** What the page keeps besides the cookie. */
export const keyOf = (page: Page): Promise<string> => page.evaluate(() => localStorage.getItem('toolwire-session') ?? '')

/** By a script on that page, with the cookies that its browser sends. */
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
