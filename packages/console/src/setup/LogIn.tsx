import { useEffect, useState } from 'preact/hooks'
import { beginLogin, goToLogin, type LoginPage } from '../api/server-login.js'
import { Button } from '../parts/Button.js'
import { Dialog } from '../parts/Dialog.js'
import { Loading } from '../parts/Empty.js'
import { Fact, Facts } from '../parts/Facts.js'
import { errorText } from '../parts/Problem.js'
import { Text } from '../parts/text/Text.js'

/** Says where a login leads before anybody goes there; it comes back to this page. */
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
        Go there
      </Button>
    </>
  )
  return (
    <Dialog title={`Log in to ${id}`} onClose={onClose} actions={actions}>
      {trouble !== undefined && (
        <p class="plan-trouble" role="alert">
          {trouble}
        </p>
      )}
      {begun && (
        <>
          <p>The next page is the login of the server. Check its address before you enter a password.</p>
          <Facts>
            <Fact name="Address">
              <Text of={new URL(begun.page).origin} mono />
            </Fact>
            <Fact name="Client name">
              <Text of={begun.issuer} mono />
            </Fact>
            <Fact name="Asked for">
              {begun.scopes.length === 0 ? 'no specific scopes' : <Text of={begun.scopes.join(' ')} mono />}
            </Fact>
          </Facts>
        </>
      )}
      {!begun && trouble === undefined && <Loading what="the login page" />}
    </Dialog>
  )
}
