import { isPrivateConnection } from './own-address.js'
import { resolvePath } from './paths.js'

/** The place that signed heads of the log are copied to. An attacker who can change the log must not be able to change it. */
export type WitnessLocation = { readonly kind: 'file'; readonly path: string } | { readonly kind: 'url'; readonly url: string }

export const witnessEveryMs = 60_000

export const isWebUrl = (text: string): boolean => /^[a-z][a-z0-9+.-]*:\/\//i.test(text)

/** Throws for an address whose traffic could be modified on the way. */
export function parseWitnessLocation(text: string, folder: string, home: string): WitnessLocation {
  if (!isWebUrl(text)) return { kind: 'file', path: resolvePath(folder, text, home) }
  const url = URL.canParse(text) ? new URL(text) : undefined
  if (url && /^https?:$/.test(url.protocol) && isPrivateConnection(url)) return { kind: 'url', url: url.href }
  throw new Error('a witness must be a file, an https:// address, or an http:// address of this machine')
}
