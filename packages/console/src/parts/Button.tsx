import type { ButtonHTMLAttributes } from 'preact'
import { Icon, type IconName } from './Icon.js'

export type ButtonProps = Omit<ButtonHTMLAttributes, 'size' | 'icon'> & {
  /** `quiet` has no border, for use beside other content. */
  readonly variant?: 'plain' | 'primary' | 'danger' | 'quiet'
  readonly small?: boolean
  readonly icon?: IconName
  /** Work is in progress: the button is disabled meanwhile. */
  readonly busy?: boolean
}

/** A button; one that shows only an icon needs an `aria-label`. */
export function Button({ variant = 'plain', small, icon, busy = false, children, ...more }: ButtonProps) {
  const classes = ['button', variant, small && 'small', busy && 'busy', more.class].filter(Boolean).join(' ')
  return (
    <button type="button" {...more} class={classes} disabled={busy || more.disabled} aria-busy={busy || undefined}>
      {icon && <Icon name={icon} />}
      {children}
    </button>
  )
}
