import type { ComponentChildren } from 'preact'
import { gatewayNow } from '../api/gateway-clock.js'
import type { LoadOutcome } from '../api/use-loaded.js'
import { Icon, type IconName } from './Icon.js'
import { Problem } from './Problem.js'
import { formatTime } from './time/format-time.js'

type Props = {
  readonly of: Pick<LoadOutcome, 'trouble'> & Partial<LoadOutcome> & { readonly value: unknown; readonly reload: () => void }
  /** Completes "Loading the tools" and "The tools could not be loaded". */
  readonly what: string
  /** Title of the error, in place of the default. */
  readonly title?: string
}

/** Shows that something is being loaded, or why it could not be. If it could not be loaded again, it says how old the shown values are. */
export function LoadState({ of: { value, trouble, loadedAt, reload }, what, title }: Props) {
  if (trouble === undefined) return value === undefined ? <Loading what={what} /> : null
  const subject = `${what.charAt(0).toUpperCase()}${what.slice(1)}`
  const since = loadedAt === undefined ? 'Old values' : `The values of ${formatTime(loadedAt, gatewayNow())}`
  const stale = `${subject} could not be loaded again. ${since} are shown`
  return (
    <Problem title={value === undefined ? (title ?? `${subject} could not be loaded`) : stale} error={trouble} onRetry={reload} />
  )
}

export const Loading = ({ what }: { what: string }) => (
  <div class="loading" role="status">
    <span class="spinner" aria-hidden="true" />
    Loading {what} …
  </div>
)

type EmptyProps = { icon: IconName; title: string; text?: string; children?: ComponentChildren }

/** An empty state: a title, and how to get some content. */
export const Empty = ({ icon, title, text, children = text }: EmptyProps) => (
  <div class="empty">
    <Icon name={icon} />
    <p class="empty-title">{title}</p>
    {children && <div class="empty-more">{children}</div>}
  </div>
)
