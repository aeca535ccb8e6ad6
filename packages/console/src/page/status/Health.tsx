import { connection } from '../../api/event-feed.js'
import { href } from '../route.js'
import { gatewayStatus } from './gateway-status.js'

/** How the gateway is, in one line; more of it stands in the overview. */
export function Health() {
  const { tone, words } = wordsFor()
  return (
    <a class="health" href={href([])}>
      <span class={`dot ${tone}`} aria-hidden="true" />
      <span>{words}</span>
    </a>
  )
}

function wordsFor(): { tone: string; words: string } {
  const status = gatewayStatus.value
  if (connection.value === 'lost') return { tone: 'danger', words: 'Connection lost' }
  if (!status) return { tone: 'neutral', words: 'Connecting …' }
  const { length } = status.troubles
  if (status.status === 'failing') return { tone: 'danger', words: 'Calls are refused' }
  if (status.status === 'draining') return { tone: 'warning', words: 'Shutting down' }
  if (length > 0) return { tone: 'warning', words: length === 1 ? 'One trouble' : `${length} troubles` }
  return { tone: 'ok', words: 'No problems' }
}
