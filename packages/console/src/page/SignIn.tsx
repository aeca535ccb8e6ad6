import { useEffect, useRef, useState } from 'preact/hooks'
import type { SessionState } from '../api/session.js'
import { Button } from '../parts/Button.js'
import { Loading } from '../parts/Empty.js'
import { Icon } from '../parts/Icon.js'
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
  return state === 'opening' ? <Loading what="your session" /> : <NotSignedIn state={state} />
}

function NotSignedIn({ state }: { state: keyof typeof words }) {
  const heading = useRef<HTMLHeadingElement>(null)
  const { title, why } = words[state]
  // Moves the focus here, so that a screen reader announces the end of the session.
  useEffect(() => heading.current?.focus(), [state])
  return (
    <main class="sign-in">
      <div class="card sign-in-card">
        <Logo />
        <h1 ref={heading} tabIndex={-1}>
          {title}
        </h1>
        <p>{why}</p>
        <h2>Get a new link</h2>
        <p>Run this in a terminal on the machine of the gateway, and open the link that it prints:</p>
        <Command />
        <p class="muted little">If the gateway is not running, start it with toolwire up; it prints a link, too.</p>
      </div>
    </main>
  )
}

function Command() {
  const [isCopied, setCopied] = useState(false)
  async function copy(): Promise<void> {
    await navigator.clipboard.writeText(command)
    setCopied(true)
  }
  return (
    <div class="command">
      <code>{command}</code>
      <Button small variant="quiet" onClick={() => void copy()}>
        <Icon name={isCopied ? 'check' : 'copy'} />
        {isCopied ? 'Copied' : 'Copy'}
      </Button>
    </div>
  )
}
