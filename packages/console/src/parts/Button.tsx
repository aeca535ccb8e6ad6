import type { ButtonHTMLAttributes } from 'preact'
import { Icon, type IconName } from './Icon.js'

export type ButtonProps = Omit<ButtonHTMLAttributes, 'size' | 'icon'> & {
  /** `quiet` has no border, for use beside other content. */
  readonly variant?: 'plain' | 'primary' | 'danger' | 'quiet'
  readonly small?: boolean
  readonly icon?: IconName
  /** Work is in progress: presses are ignored meanwhile. */
  readonly busy?: boolean
}

/** A button; one that shows only an icon needs an `aria-label`. */
export function Button({ variant = 'plain', small, icon, busy = false, children, ...more }: ButtonProps) {
  const classes = ['button', variant, small && 'small', busy && 'busy', more.class].filter(Boolean).join(' ')
  return (
    <button
      type="button"
      {...more}
      class={classes}
      // Not `disabled`, which would drop the focus.
      aria-disabled={busy || more['aria-disabled']}
      aria-busy={busy || undefined}
      onClick={busy ? ignorePress : more.onClick}
    >
      {icon && <Icon name={icon} />}
      {children}
    </button>
  )
}

/** Keeps the button of a form from sending it again. */
const ignorePress = (event: Event): void => event.preventDefault()
