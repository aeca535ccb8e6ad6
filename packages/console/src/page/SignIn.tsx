import { useEffect, useRef } from 'preact/hooks'
import type { SessionState } from '../api/session.js'
import { CopyButton } from '../parts/CopyButton.js'
import { Loading } from '../parts/LoadState.js'
import { Logo } from './Logo.js'

const words = {
  none: {
    title: 'Sign-in link required',
    why: 'The console controls the gateway, so it requires a sign-in link.',
  },
  used: {
    title: 'This link has expired',
    why: 'A link works once, within five minutes. This one was used before, or is too old.',
  },
  ended: {
    title: 'Your session is over',
    why: 'A session ends after 30 minutes of inactivity, after 12 hours, or when you end it in any browser.',
  },
} as const

const command = 'toolwire console'

/** The page for a user who is not signed in: why, and how to sign in. */
export function SignIn({ state }: { state: Exclude<SessionState, 'open'> }) {
  const heading = useRef<HTMLHeadingElement>(null)
  // Moves the focus here, so that a screen reader announces the end of the session.
  useEffect(() => heading.current?.focus(), [state])
  if (state === 'opening') return <Loading what="your session" />
  const { title, why } = words[state]
  return (
    <main class="sign-in">
      <div class="card sign-in-card stack">
        <Logo />
        <h1 ref={heading} tabIndex={-1}>
          {title}
        </h1>
        <p>{why}</p>
        <h2>Get a new link</h2>
        <p>Run this in a terminal on the machine of the gateway, and open the link that it prints:</p>
        <div class="command sunken bar">
          <code>{command}</code>
          <CopyButton text={command} variant="quiet" />
        </div>
        <p class="muted little">If the gateway is not running, start it with toolwire up; it prints a link, too.</p>
      </div>
    </main>
  )
}
