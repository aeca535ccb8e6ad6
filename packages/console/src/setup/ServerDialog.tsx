import { useState } from 'preact/hooks'
import { deleteJson, pathSegment, postJson } from '../api/api.js'
import type { Server } from '../api/types.js'
import { href } from '../page/route.js'
import { Badge } from '../parts/Badge.js'
import { Button } from '../parts/Button.js'
import { Dialog } from '../parts/Dialog.js'
import { Fact, Facts } from '../parts/Facts.js'
import { errorText } from '../parts/Problem.js'
import { serverStates } from '../parts/server-states.js'
import { toast } from '../parts/Toast.js'
import { Text } from '../parts/text/Text.js'
import { Ago } from '../parts/time/Time.js'
import { CommandLine } from './CommandLine.js'
import { EditServer } from './EditServer.js'
import { LogIn } from './LogIn.js'
import { RemoveServer } from './RemoveServer.js'

type Props = { readonly server: Server; readonly onClose: () => void; readonly onChange: () => void }
type Doing = 'change' | 'remove' | 'log in'

/** One server: how it is, where it is, and what can be done about it. */
export function ServerDialog({ server, onClose, onChange }: Props) {
  const [doing, setDoing] = useState<Doing>()
  const { id, state, why, since, restarts, tools, trusted, login, target } = server
  const done = () => {
    onChange()
    setDoing(undefined)
  }
  if (doing === 'change') return <EditServer id={id} onClose={() => setDoing(undefined)} onDone={onChange} />
  if (doing === 'remove') return <RemoveServer id={id} onClose={() => setDoing(undefined)} onDone={onClose} />
  if (doing === 'log in') return <LogIn id={id} onClose={() => setDoing(undefined)} />
  return (
    <Dialog
      title={`Server ${id}`}
      onClose={onClose}
      actions={
        <>
          {login && !login.loggedIn && (
            <Button variant="primary" onClick={() => setDoing('log in')}>
              Log in …
            </Button>
          )}
          {login?.loggedIn && <Act words="Log out" work={() => deleteJson(`/servers/${pathSegment(id)}/logins`)} onDone={done} />}
          <Act words="Restart" work={() => postJson(`/servers/${pathSegment(id)}/restart`)} onDone={done} />
          <Button onClick={() => setDoing('change')}>Change …</Button>
          <Button variant="danger" onClick={() => setDoing('remove')}>
            Remove …
          </Button>
        </>
      }
    >
      <Facts>
        <Fact name="State">
          <span class="setup-state">
            <span class={`dot ${serverStates[state].tone}`} aria-hidden="true" /> {serverStates[state].words}
          </span>
        </Fact>
        {why !== undefined && (
          <Fact name="Why">
            <Text of={why} />
          </Fact>
        )}
        <Fact name="Since">
          <Ago at={since} />
          {restarts > 0 && `, restarted ${restarts === 1 ? 'once' : `${restarts} times`}`}
        </Fact>
        <Fact name="Tools">
          <a href={href(['exposed'], { q: id })}>{tools}</a>
        </Fact>
        <Fact name="Hints">
          {trusted ? <Badge tone="info">trusted</Badge> : <Badge>unverified</Badge>}{' '}
          <span class="muted little">{trusted ? 'Its hints are trusted.' : 'Its hints are not trusted.'}</span>
        </Fact>
        {login && <Fact name="Login">{login.loggedIn ? <LoggedIn login={login} /> : 'none yet'}</Fact>}
      </Facts>
      <CommandLine target={target} />
    </Dialog>
  )
}

const LoggedIn = ({ login: { login, users } }: { login: NonNullable<Server['login']> }) => (
  <>
    {login ? (
      <>
        at <Text of={login.issuer} />, <Ago at={login.since} />
      </>
    ) : (
      'yes'
    )}
    {users.length > 0 && `; and ${users.length} of callers`}
  </>
)

type ActProps = { readonly words: string; readonly work: () => Promise<unknown>; readonly onDone: () => void }

function Act({ words, work, onDone }: ActProps) {
  const [isBusy, setBusy] = useState(false)
  async function act(): Promise<void> {
    setBusy(true)
    await work().then(
      () => toast(`${words}: done.`),
      (thrown: unknown) => toast(errorText(thrown), 'danger'),
    )
    setBusy(false)
    onDone()
  }
  return (
    <Button busy={isBusy} onClick={() => void act()}>
      {words}
    </Button>
  )
}
