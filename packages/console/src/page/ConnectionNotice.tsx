import { useEffect, useRef } from 'preact/hooks'
import { connection } from '../api/event-feed.js'
import { toast } from '../parts/Toast.js'

/** Says so when the gateway is out of reach, and when it is back. */
export function ConnectionNotice() {
  const wasLost = useRef(false)
  const isLost = connection.value === 'lost'
  useEffect(() => {
    if (!isLost && wasLost.current) toast('Connected again. What you see is up to date.')
    wasLost.current = isLost
  }, [isLost])
  return (
    <div role="status">
      {isLost && (
        <p class="connection-notice">
          <span class="spinner" aria-hidden="true" />
          The gateway does not answer. What you see may be out of date; it is tried again by itself.
        </p>
      )}
    </div>
  )
}
