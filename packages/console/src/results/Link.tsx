import { Icon } from '../parts/Icon.js'
import { Text } from '../parts/text/Text.js'

/** An untrusted address in full. Only an http or https address gets a link, and only a click opens it. */
export function Link({ of }: { of: string }) {
  const leads = linkTargetOf(of)
  const warning = misleadingLinkWarning(of)
  return (
    <div class="address cluster">
      <Text of={of} mono />
      {leads ? (
        <a class="button small" href={leads.href} target="_blank" rel="noreferrer noopener">
          <Icon name="external" />
          Open {leads.host}
        </a>
      ) : (
        <span class="muted little">Only a program that supports this scheme can open it.</span>
      )}
      {warning && <p class="little warning">{warning}</p>}
    </div>
  )
}

/** The parts of an address that can be opened. */
type LinkTarget = { readonly href: string; readonly host: string; readonly plain: boolean } | undefined

/** The target of an http or https address; undefined for any other. */
export function linkTargetOf(address: string): LinkTarget {
  const url = URL.canParse(address) ? new URL(address) : undefined
  // Browsers drop line breaks and tabs and convert backslashes, so such an address leads elsewhere than it reads.
  if (!url || /[\s\\]/.test(address) || (url.protocol !== 'https:' && url.protocol !== 'http:')) return undefined
  return { href: url.href, host: url.host, plain: url.protocol === 'http:' }
}

/** Warns if an address may mislead about its target, or is not encrypted. */
export function misleadingLinkWarning(address: string): string | undefined {
  const leads = linkTargetOf(address)
  if (!leads) return undefined
  const { username, hostname } = new URL(leads.href)
  if (username !== '') return `The part before the @ is a user name. The link leads to ${leads.host}.`
  if (hostname.split('.').some((label) => label.startsWith('xn--')))
    return `The host name has letters of another script: ${leads.host}.`
  return leads.plain ? 'The connection is not encrypted.' : undefined
}
