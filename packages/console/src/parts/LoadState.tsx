import type { ComponentChildren } from 'preact'
import type { Loaded } from '../api/use-loaded.js'
import { Icon, type IconName } from './Icon.js'
import { Problem } from './Problem.js'

type Props = {
  readonly of: Pick<Loaded<unknown>, 'value' | 'trouble' | 'reload'>
  /** As in "Loading the tools" and "The tools could not be loaded". */
  readonly what: string
  /** Said instead of the latter. */
  readonly title?: string
  /** It is also said beside an older value. */
  readonly isStaleTold?: boolean
}

/** While something is not loaded: that it is, or why it could not be. */
export function LoadState({ of: { value, trouble, reload }, what, title, isStaleTold }: Props) {
  if (value !== undefined && !(isStaleTold && trouble !== undefined)) return null
  if (trouble === undefined) return <Loading what={what} />
  const sentence = `${what.charAt(0).toUpperCase()}${what.slice(1)} could not be loaded`
  return <Problem title={title ?? sentence} error={trouble} onRetry={reload} />
}

/** While something is loaded for the first time. */
export const Loading = ({ what }: { what: string }) => (
  <div class="loading" role="status">
    <span class="spinner" aria-hidden="true" />
    Loading {what} …
  </div>
)

type EmptyProps = { icon: IconName; title: string; text?: string; children?: ComponentChildren }

/** Nothing to show: says so in a sentence, and what would put something here. */
export const Empty = ({ icon, title, text, children = text }: EmptyProps) => (
  <div class="empty">
    <Icon name={icon} />
    <p class="empty-title">{title}</p>
    {children && <div class="empty-more">{children}</div>}
  </div>
)
