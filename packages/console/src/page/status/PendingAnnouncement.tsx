import { useEffect, useState } from 'preact/hooks'
import { pendingCount } from './gateway-status.js'

const calmMs = 1_000

/** Tells those who listen to the page when calls begin to wait for a decision; not of each of very many. */
export function PendingAnnouncement() {
  const count = pendingCount.value
  const [told, setTold] = useState(0)
  useEffect(() => {
    const timer = setTimeout(() => setTold(count), calmMs)
    return () => clearTimeout(timer)
  }, [count])
  return (
    <p class="out-of-sight" aria-live="polite">
      {told === 0 ? '' : told === 1 ? 'One call waits for a decision' : `${told} calls wait for a decision`}
    </p>
  )
}
