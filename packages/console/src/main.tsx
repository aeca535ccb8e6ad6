import { render } from 'preact'
import { loginFromAddress } from './api/server-login.js'
import { followOtherTabs, session, signInFromAddress } from './api/session.js'
import { Frame } from './page/Frame.js'
import { followAddress } from './page/route.js'
import { SignIn } from './page/SignIn.js'
import { followTheme } from './page/theme.js'
import { toast } from './parts/Toast.js'
import { toastError } from './parts/WorkButton.js'

// Before the address is looked at, which it changes.
void loginFromAddress().then((server) => server !== undefined && toast(`The gateway is logged in to ${server}.`), toastError)
followTheme()
followOtherTabs()
void signInFromAddress()
// Where the page is open already, a pasted link changes nothing but this part of the address.
addEventListener('hashchange', () => void signInFromAddress())
followAddress()

/** Everything; without a session nothing but the way to get one. */
const Page = () => (session.value === 'open' ? <Frame /> : <SignIn state={session.value} />)

const place = document.getElementById('page')
if (place) render(<Page />, place)
