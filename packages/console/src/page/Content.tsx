import { useEffect } from 'preact/hooks'
import { trackUserActivity } from '../api/user-activity.js'
import { followCalls } from '../calls/follow-calls.js'
import { ConnectionNotice } from './ConnectionNotice.js'
import { CurrentView } from './CurrentView.js'
import { followGatewayStatus } from './status/gateway-status.js'
import { notifyOfApprovals } from './status/notifications.js'
import { PendingAnnouncement } from './status/PendingAnnouncement.js'
import { showTabIndicator } from './status/tab-indicator.js'

const followed = [followGatewayStatus, followCalls, showTabIndicator, notifyOfApprovals, trackUserActivity]

/** The view, and what goes on besides it whichever it is. */
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
