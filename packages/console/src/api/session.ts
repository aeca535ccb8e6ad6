// The session of this page at the gateway. Scripts cannot read its cookie; the other half of the proof is kept here.
import { signal } from '@preact/signals'
import { readStored, removeStored, store } from './local-storage.js'

/**
 * `opening` while a sign-in link is used; `none` before any sign-in here; `used` if the link was used or has expired; `ended` if a session
 * is over.
 */
export type SessionState = 'opening' | 'open' | 'none' | 'used' | 'ended'

// Storage belongs to one port of a host, but cookies to all ports, so a page on another port cannot read this key.
const storageKey = 'toolwire-session'

export const session = signal<SessionState>(readStored(storageKey) ? 'open' : 'none')

/** Sent with every request, so that the cookie alone is not enough. */
export const sessionKey = (): string => readStored(storageKey) ?? ''
export const sessionHeader = (key = sessionKey()): Record<string, string> => ({ 'x-toolwire-session': key })

/** Signs in with the token in the address, after removing it from the address and the history. */
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
    const { csrf } = (await response.json()) as { csrf: string } // the response comes from the gateway that served this page
    store(storageKey, csrf)
    return true
  } catch {
    return false
  }
}

/** Ends the session after the gateway has rejected its key, unless another tab has opened a new session meanwhile. */
export function noteSessionOver(key = sessionKey()): void {
  if (session.value !== 'open' || key !== sessionKey()) return
  removeStored(storageKey)
  session.value = 'ended'
}

export async function endSession(): Promise<void> {
  await fetch('/session', { method: 'DELETE', headers: sessionHeader() })
  noteSessionOver()
}

/** Follows sessions that another tab opens or ends. */
export function followOtherTabs(): void {
  addEventListener('storage', ({ key, newValue }) => {
    if (key === storageKey) session.value = newValue ? 'open' : 'ended'
  })
}
