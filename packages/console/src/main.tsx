import { render } from 'preact'
import { loginFromAddress } from './api/server-login.js'
import { followOtherTabs, signInFromAddress } from './api/session.js'
import { Page } from './page/Page.js'
import { followAddress } from './page/route.js'
import { followTheme } from './page/theme.js'
import { errorText } from './parts/Problem.js'
import { toast } from './parts/Toast.js'

// Before the address is looked at, which it changes.
void loginFromAddress().then(
  (server) => server !== undefined && toast(`The gateway is logged in to ${server}.`),
  (thrown: unknown) => toast(errorText(thrown), 'danger'),
)
followTheme()
followOtherTabs()
void signInFromAddress()
// Where the page is open already, a pasted link changes nothing but this part of the address.
addEventListener('hashchange', () => void signInFromAddress())
followAddress()

const place = document.getElementById('page')
if (place) render(<Page />, place)
