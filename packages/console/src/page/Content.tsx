import { useEffect } from 'preact/hooks'
import { noteAttendance } from '../api/attendance.js'
import { followCalls } from '../calls/activity.js'
import { ConnectionNotice } from './ConnectionNotice.js'
import { showIndicator } from './indicator.js'
import { notifyOfApprovals } from './notifications.js'
import { followStanding } from './standing.js'
import { ViewPlace } from './ViewPlace.js'
import { Waiting } from './Waiting.js'

const followed = [followStanding, followCalls, showIndicator, notifyOfApprovals, noteAttendance]

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
      <ViewPlace />
      <Waiting />
    </>
  )
}
