import { deleteJson, pathSegment } from '../api/api.js'
import type { ConsoleSession, ConsoleSessions } from '../api/types.js'
import { useGet } from '../api/use-loaded.js'
import { Badge } from '../parts/Badge.js'
import { Button } from '../parts/Button.js'
import { Dialog } from '../parts/Dialog.js'
import { LoadState } from '../parts/LoadState.js'
import { toast } from '../parts/Toast.js'
import { markedText, Text } from '../parts/text/Text.js'
import { Ago, Time } from '../parts/time/Time.js'
import { toastError } from '../parts/WorkButton.js'

const browsers = [
  ['Edge', 'Edg/'],
  ['Opera', 'OPR/'],
  ['Firefox', 'Firefox/'],
  ['Chrome', 'Chrome/'],
  ['Safari', 'Safari/'],
] as const

const systems = ['Windows', 'Android', 'iPhone', 'iPad', 'Mac OS', 'Linux'] as const

/** The browser and system in a user agent, in words. */
function browserName(agent: string): string {
  const browser = browsers.find(([, sign]) => agent.includes(sign))?.[0]
  const system = systems.find((name) => agent.includes(name))
  if (!browser) return agent === '' ? 'Unknown browser' : agent
  return system ? `${browser} on ${system}` : browser
}

/** The signed-in browsers, each with a button to end its session. */
export function SessionsDialog({ onClose }: { onClose: () => void }) {
  const loaded = useGet<ConsoleSessions>('/console/sessions')
  const { value, reload } = loaded
  const others = value?.sessions.filter(({ own }) => !own) ?? []
  async function end(ids: readonly string[]): Promise<void> {
    try {
      await Promise.all(ids.map((id) => deleteJson(`/console/sessions/${pathSegment(id)}`)))
      toast(ids.length === 1 ? 'The session has ended.' : `${ids.length} sessions have ended.`)
    } catch (thrown) {
      toastError(thrown)
    }
    reload()
  }
  const endAll = (
    <Button variant="danger" onClick={() => void end(others.map(({ id }) => id))}>
      End all others
    </Button>
  )
  return (
    <Dialog title="Sessions" onClose={onClose} actions={others.length > 1 && endAll}>
      <p class="muted">Browsers that are signed in. The audit log records actions under the session id.</p>
      <LoadState of={loaded} what="the sessions" />
      <ul class="sessions">
        {value?.sessions.map((session) => (
          <OneSession key={session.id} session={session} onEnd={() => void end([session.id])} />
        ))}
      </ul>
    </Dialog>
  )
}

const OneSession = ({ session, onEnd }: { session: ConsoleSession; onEnd: () => void }) => (
  <li class="bar">
    <div>
      <p>
        <strong title={markedText(session.browser)}>
          <Text of={browserName(session.browser)} />
        </strong>{' '}
        <code>{session.id}</code> {session.own && <Badge tone="info">this one</Badge>}
      </p>
      <p class="muted little">
        Since <Time at={session.startedAt} />, used <Ago at={session.usedAt} />, until <Time at={session.endsAt} /> at most
      </p>
    </div>
    {!session.own && (
      <Button small onClick={onEnd}>
        End<span class="out-of-sight"> session {session.id}</span>
      </Button>
    )}
  </li>
)
