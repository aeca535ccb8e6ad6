import { Icon } from '../parts/Icon.js'
import { Text } from '../parts/text/Text.js'

/** An address, shown whole. It can be opened where it is a page of the web, and nothing opens it but a click. */
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

/** Where an address leads: it is opened only when it is a page of the web. */
type LinkTarget = { readonly href: string; readonly host: string; readonly plain: boolean } | undefined

/** What of an address can be opened, and at whose place it is; undefined for all that is no page of the web. */
export function linkTargetOf(address: string): LinkTarget {
  const url = URL.canParse(address) ? new URL(address) : undefined
  // Browsers leave out line ends and tabs and turn backslashes round: then what is read is not where it leads.
  if (!url || /[\s\\]/.test(address) || (url.protocol !== 'https:' && url.protocol !== 'http:')) return undefined
  return { href: url.href, host: url.host, plain: url.protocol === 'http:' }
}

/** Says so where an address looks like one place and leads to another. */
export function misleadingLinkWarning(address: string): string | undefined {
  const leads = linkTargetOf(address)
  if (!leads) return undefined
  const { username, hostname } = new URL(leads.href)
  if (username !== '') return `The part before the @ is a user name. The link leads to ${leads.host}.`
  if (hostname.split('.').some((label) => label.startsWith('xn--')))
    return `The host name has letters of another script: ${leads.host}.`
  return leads.plain ? 'The connection is not encrypted.' : undefined
}
