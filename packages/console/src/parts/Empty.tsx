import type { ComponentChildren } from 'preact'
import { Icon, type IconName } from './Icon.js'

/** Nothing to show: says so in a sentence, and what would put something here. */
export const Empty = ({ icon, title, children }: { icon: IconName; title: string; children?: ComponentChildren }) => (
  <div class="empty">
    <Icon name={icon} />
    <p class="empty-title">{title}</p>
    {children && <div class="empty-more">{children}</div>}
  </div>
)
