import { Icon } from '../parts/Icon.js'
import { Text } from '../parts/text/Text.js'
import { linkTargetOf, misleadingLinkWarning } from './link-target.js'

/** An address, shown whole. It can be opened where it is a page of the web, and nothing opens it but a click. */
export function Link({ of }: { of: string }) {
  const leads = linkTargetOf(of)
  const warning = misleadingLinkWarning(of)
  return (
    <div class="address">
      <Text of={of} mono />
      {leads ? (
        <a class="button small" href={leads.href} target="_blank" rel="noreferrer noopener">
          <Icon name="external" />
          Open {leads.host}
        </a>
      ) : (
        <span class="muted little">Only a program that knows such addresses can open it.</span>
      )}
      {warning && <p class="little warning">{warning}</p>}
    </div>
  )
}
