import { useEffect } from 'preact/hooks'
import { trackUserActivity } from '../api/attendance.js'
import { followCalls } from '../calls/activity.js'
import { ConnectionNotice } from './ConnectionNotice.js'
import { showTabIndicator } from './indicator.js'
import { notifyOfApprovals } from './notifications.js'
import { followGatewayStatus } from './standing.js'
import { CurrentView } from './ViewPlace.js'
import { PendingAnnouncement } from './Waiting.js'

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
