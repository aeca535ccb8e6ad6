import { render } from 'preact'
import { followOtherTabs, signInFromAddress } from './api/session.js'
import { Page } from './page/Page.js'
import { followAddress } from './page/route.js'
import { followTheme } from './page/theme.js'

followTheme()
followOtherTabs()
void signInFromAddress()
// Where the page is open already, a pasted link changes nothing but this part of the address.
addEventListener('hashchange', () => void signInFromAddress())
followAddress()

const place = document.getElementById('page')
if (place) render(<Page />, place)
