import { useEffect, useRef, useState } from 'preact/hooks'
import { connection } from '../api/event-feed.js'
import { trackUserActivity } from '../api/user-activity.js'
import { followCalls } from '../calls/follow-calls.js'
import { toast } from '../parts/Toast.js'
import { CurrentView } from './CurrentView.js'
import { followGatewayStatus, pendingCount } from './status/gateway-status.js'
import { notifyOfApprovals } from './status/notifications.js'
import { showTabIndicator } from './status/tab-indicator.js'

const calmMs = 1_000

/** Announces the number of pending calls to screen readers, but only once it has settled. */
function PendingAnnouncement() {
  const count = pendingCount.value
  const [told, setTold] = useState(0)
  useEffect(() => {
    const timer = setTimeout(() => setTold(count), calmMs)
    return () => clearTimeout(timer)
  }, [count])
  return (
    <p class="out-of-sight" aria-live="polite">
      {told === 0 ? '' : told === 1 ? 'One call is pending' : `${told} calls are pending`}
    </p>
  )
}

const followed = [followGatewayStatus, followCalls, showTabIndicator, notifyOfApprovals, trackUserActivity]

/** The current view, with everything that runs in all views. */
export function Content() {
  useEffect(() => {
    const ended = new AbortController()
    for (const follow of followed) follow(ended.signal)
    return () => ended.abort()
  }, [])
  return (
    <>
      <ConnectionNotice />
      <CurrentView />
      <PendingAnnouncement />
    </>
  )
}

/** Tells the user when the gateway is unreachable, and when it is back. */
function ConnectionNotice() {
  const wasLost = useRef(false)
  const isLost = connection.value === 'lost'
  useEffect(() => {
    if (!isLost && wasLost.current) toast('Connected again. This page is up to date.')
    wasLost.current = isLost
  }, [isLost])
  return (
    <div role="status">
      {isLost && (
        <p class="connection-notice cluster">
          <span class="spinner" aria-hidden="true" />
          The gateway does not answer, so this page may be out of date. The page retries automatically.
        </p>
      )}
    </div>
  )
}
