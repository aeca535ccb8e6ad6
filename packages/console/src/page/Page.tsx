import { session } from '../api/session.js'
import { Frame } from './Frame.js'
import { SignIn } from './SignIn.js'

/** Everything; without a session nothing but the way to get one. */
export const Page = () => (session.value === 'open' ? <Frame /> : <SignIn state={session.value} />)
