import { Icon } from '../../parts/Icon.js'

/** What somebody should know before they decide. */
export const DecisionNote = ({ children }: { readonly children: string }) => (
  <p class="deciding-note notice tinted cluster warning">
    <Icon name="warning" />
    <span>{children}</span>
  </p>
)
