import { useState } from 'preact/hooks'
import { deleteJson, pathSegment, postJson } from '../api/api.js'
import type { Server } from '../api/types.js'
import { href } from '../page/route.js'
import { Badge } from '../parts/Badge.js'
import { Button } from '../parts/Button.js'
import { Dialog } from '../parts/Dialog.js'
import { Fact, Facts } from '../parts/Facts.js'
import { restartsText, ServerState } from '../parts/ServerState.js'
import { toast } from '../parts/Toast.js'
import { Text } from '../parts/text/Text.js'
import { Ago } from '../parts/time/Time.js'
import { toastError, WorkButton } from '../parts/WorkButton.js'
import { CommandLine } from './CommandLine.js'
import { EditServer, RemoveServer } from './EditServer.js'
import { LogIn } from './LogIn.js'

type Props = { readonly server: Server; readonly onClose: () => void; readonly onChange: () => void }

export function ServerDialog({ server, onClose, onChange }: Props) {
  const [doing, setDoing] = useState<'change' | 'remove' | 'log in'>()
  const { id, state, why, since, restarts, tools, trusted, login, target } = server
  const path = `/servers/${pathSegment(id)}`
  const back = () => setDoing(undefined)
  const act = (words: string, work: () => Promise<unknown>) => (
    <WorkButton
      work={() =>
        work()
          .then(() => toast(`${words}: done.`), toastError)
          .then(onChange)
      }
    >
      {words}
    </WorkButton>
  )
  if (doing === 'change') return <EditServer id={id} onClose={back} onDone={onChange} />
  if (doing === 'remove') return <RemoveServer id={id} onClose={back} onDone={onClose} />
  if (doing === 'log in') return <LogIn id={id} onClose={back} />
  const actions = (
    <>
      {login && !login.loggedIn && (
        <Button variant="primary" onClick={() => setDoing('log in')}>
          Log in …
        </Button>
      )}
      {login?.loggedIn && act('Log out', () => deleteJson(`${path}/logins`))}
      {act('Restart', () => postJson(`${path}/restart`))}
      <Button onClick={() => setDoing('change')}>Change …</Button>
      <Button variant="danger" onClick={() => setDoing('remove')}>
        Remove …
      </Button>
    </>
  )
  return (
    <Dialog title={`Server ${id}`} onClose={onClose} actions={actions}>
      <Facts>
        <Fact name="State" value={<ServerState of={state} />} />
        <Fact name="Why" text={why} />
        <Fact name="Since">
          <Ago at={since} />
          {restartsText(restarts, ', ')}
        </Fact>
        <Fact name="Tools" value={<a href={href(['exposed'], { q: id })}>{tools}</a>} />
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
    <Text of={login?.issuer} before="at " />
    {login ? ', ' : 'yes'}
    {login && <Ago at={login.since} />}
    {users.length > 0 && `; and ${users.length} of callers`}
  </>
)
