import { render } from 'preact'
import { loginFromAddress } from './api/server-login.js'
import { followOtherTabs, session, signInFromAddress } from './api/session.js'
import { Frame } from './page/Frame.js'
import { followAddress } from './page/route.js'
import { SignIn } from './page/SignIn.js'
import { followTheme } from './page/theme.js'
import { toast } from './parts/Toast.js'
import { toastError } from './parts/WorkButton.js'

// First, because the lines below change the address.
void loginFromAddress().then((server) => server !== undefined && toast(`The gateway is logged in to ${server}.`), toastError)
followTheme()
followOtherTabs()
void signInFromAddress()
// In a page that is already open, a pasted link changes only the hash.
addEventListener('hashchange', () => void signInFromAddress())
followAddress()

/** The whole page; without a session only the sign-in. */
const Page = () => (session.value === 'open' ? <Frame /> : <SignIn state={session.value} />)

const place = document.getElementById('page')
if (place) render(<Page />, place)
