import type { ComponentChildren } from 'preact'
import type { Loaded } from '../api/use-loaded.js'
import { Icon, type IconName } from './Icon.js'
import { Problem } from './Problem.js'

type Props = {
  readonly of: Pick<Loaded<unknown>, 'value' | 'trouble' | 'reload'>
  /** Completes "Loading the tools" and "The tools could not be loaded". */
  readonly what: string
  /** Title of the error, in place of the default. */
  readonly title?: string
  /** Shows an error even if there is an older value. */
  readonly isStaleTold?: boolean
}

/** Shows that something is being loaded, or why it could not be. */
export function LoadState({ of: { value, trouble, reload }, what, title, isStaleTold }: Props) {
  if (value !== undefined && !(isStaleTold && trouble !== undefined)) return null
  if (trouble === undefined) return <Loading what={what} />
  const sentence = `${what.charAt(0).toUpperCase()}${what.slice(1)} could not be loaded`
  return <Problem title={title ?? sentence} error={trouble} onRetry={reload} />
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
