// Whether this page may talk to the gateway. The cookie is out of reach of scripts; the other half of the proof is kept here.
import { signal } from '@preact/signals'
import { readStored, removeStored, store } from './local-storage.js'

/**
 * `opening` while a link is being used; `none` where nobody has signed in here; `used` when a link was used or too old; `ended` when
 * a session is over.
 */
export type SessionState = 'opening' | 'open' | 'none' | 'used' | 'ended'

// Storage belongs to one port of the host, cookies to all of them: a page on another port cannot read this.
const kept = 'toolwire-session'

export const session = signal<SessionState>(readStored(kept) ? 'open' : 'none')

/** Goes with every request, so that a cookie alone is worth nothing. */
export const sessionKey = (): string => readStored(kept) ?? ''
export const sessionHeader = (key = sessionKey()): Record<string, string> => ({ 'x-toolwire-session': key })

/** Signs in where the address holds a link's token, and takes that out of the address and the history first. */
export async function signInFromAddress(): Promise<void> {
  const token = /^#login=([\w-]{20,200})$/.exec(location.hash)?.[1]
  if (!token) return
  history.replaceState(null, '', '/#/')
  const before = session.value
  session.value = 'opening'
  session.value = (await isOpenedWith(token)) ? 'open' : before === 'open' ? 'open' : 'used'
}

async function isOpenedWith(token: string): Promise<boolean> {
  const init = { method: 'POST', headers: { 'content-type': 'application/json' }, body: JSON.stringify({ token }) }
  try {
    const response = await fetch('/session', init)
    if (!response.ok) return false
    const { csrf } = (await response.json()) as { csrf: string } // the gateway that served this page has answered
    store(kept, csrf)
    return true
  } catch {
    return false
  }
}

/** The gateway knows this session no more. Another tab may have opened one meanwhile. */
export function noteSessionOver(key = sessionKey()): void {
  if (session.value !== 'open' || key !== sessionKey()) return
  removeStored(kept)
  session.value = 'ended'
}

export async function endSession(): Promise<void> {
  await fetch('/session', { method: 'DELETE', headers: sessionHeader() })
  noteSessionOver()
}

/** A session that another tab opened or ended is this tab's, too. */
export function followOtherTabs(): void {
  addEventListener('storage', ({ key, newValue }) => {
    if (key === kept) session.value = newValue ? 'open' : 'ended'
  })
}
