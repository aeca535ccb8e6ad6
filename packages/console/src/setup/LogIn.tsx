import { useEffect, useState } from 'preact/hooks'
import { beginLogin, goToLogin } from '../api/server-login.js'
import type { LoginPage } from '../api/types.js'
import { Button } from '../parts/Button.js'
import { Dialog } from '../parts/Dialog.js'
import { Fact, Facts } from '../parts/Facts.js'
import { Loading } from '../parts/LoadState.js'
import { errorText } from '../parts/Problem.js'
import { SetupTrouble } from './PlanDialog.js'

/** Shows the address of the login page before the user goes there. */
export function LogIn({ id, onClose }: { readonly id: string; readonly onClose: () => void }) {
  const [begun, setBegun] = useState<LoginPage>()
  const [trouble, setTrouble] = useState<string>()
  useEffect(() => {
    beginLogin(id).then(setBegun, (thrown: unknown) => setTrouble(errorText(thrown)))
  }, [id])
  const actions = (
    <>
      <Button onClick={onClose}>Not now</Button>
      <Button variant="primary" icon="external" disabled={!begun} onClick={() => begun && goToLogin(begun)}>
        Open the login page
      </Button>
    </>
  )
  return (
    <Dialog title={`Log in to ${id}`} onClose={onClose} actions={actions}>
      <SetupTrouble of={trouble} />
      {begun ? <Destination of={begun} /> : trouble === undefined && <Loading what="the login page" />}
    </Dialog>
  )
}

const Destination = ({ of: { page, issuer, scopes } }: { readonly of: LoginPage }) => (
  <>
    <p>The next page is the login of the server. Check its address before you enter a password.</p>
    <Facts>
      <Fact name="Address" text={new URL(page).origin} mono />
      <Fact name="Authorization server" text={issuer} mono />
      {scopes.length === 0 ? (
        <Fact name="Asked for">no specific scopes</Fact>
      ) : (
        <Fact name="Asked for" text={scopes.join(' ')} mono />
      )}
    </Facts>
  </>
)
