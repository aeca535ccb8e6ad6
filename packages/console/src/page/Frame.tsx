import { useEffect } from 'preact/hooks'
import { connection, listenToGateway } from '../api/event-feed.js'
import { Loading } from '../parts/LoadState.js'
import { Toasts } from '../parts/Toast.js'
import { Content } from './Content.js'
import { Logo } from './Logo.js'
import { Navigation } from './Navigation.js'
import { PageMenu } from './PageMenu.js'
import { href } from './route.js'
import { gatewayStatus } from './status/gateway-status.js'

/** The page for a signed-in user: navigation and the current view. */
export function Frame() {
  useEffect(() => {
    const ended = new AbortController()
    void listenToGateway(ended.signal)
    return () => {
      ended.abort()
      connection.value = 'opening'
    }
  }, [])
  return (
    <div class="frame">
      {/* Not a link, because the hash of the address names the view. */}
      <button type="button" class="skip" onClick={() => document.getElementById('main')?.focus()}>
        Skip to the content
      </button>
      <header class="frame-side">
        <a class="brand" href={href([])}>
          <Logo />
          <span>Toolwire</span>
        </a>
        <Navigation />
        <div class="frame-foot stack near">
          <Health />
          <PageMenu />
        </div>
      </header>
      <main id="main" tabIndex={-1}>
        {/* Data loaded before the event stream is open could become outdated without notice. */}
        {connection.value === 'opening' ? <Loading what="the console" /> : <Content />}
      </main>
      <Toasts />
    </div>
  )
}

/** The gateway's health in one line; the overview shows more. */
function Health() {
  const { tone, words } = healthWords()
  return (
    <a class="health" href={href([])}>
      <span class={`dot ${tone}`} aria-hidden="true" />
      <span>{words}</span>
    </a>
  )
}

function healthWords(): { tone: string; words: string } {
  const status = gatewayStatus.value
  if (connection.value === 'lost') return { tone: 'danger', words: 'Connection lost' }
  if (!status) return { tone: 'neutral', words: 'Connecting …' }
  const { length } = status.troubles
  if (status.status === 'failing') return { tone: 'danger', words: 'Calls are refused' }
  if (status.status === 'draining') return { tone: 'warning', words: 'Shutting down' }
  if (length > 0) return { tone: 'warning', words: length === 1 ? 'One problem' : `${length} problems` }
  return { tone: 'ok', words: 'No problems' }
}
