// People who log in at a running gateway through the management API, as the command line does.
import { agree } from '../../../toolwire/test/client/oauth/authority.js'
import { ask } from '../support/running-gateway.js'

export const redirectUri = 'http://127.0.0.1:39999/callback'

type Gateway = { readonly port: number }
type Options = { readonly user?: string; readonly scopes?: string[]; readonly headers?: Record<string, string> }
type Begun = { readonly status: number; readonly body: Record<string, unknown> & { login: string; page: string; error?: string } }

export async function begun(gateway: Gateway, { headers, ...options }: Options = {}): Promise<Begun> {
  const body = { redirectUri, ...options }
  return (await ask(gateway, '/servers/shop/logins', { body, ...(headers && { headers }) })) as Begun
}

/** Starts a login, agrees, and finishes it. */
export async function loggedIn(
  gateway: Gateway,
  options: Options = {},
): Promise<{ status: number; body: Record<string, unknown> }> {
  const { status, body } = await begun(gateway, options)
  if (status !== 201) throw new Error(`The login could not be started: ${body.error}`)
  const address = await agree(new URL(body.page))
  return ask(gateway, `/logins/${body.login}`, { body: { address }, ...(options.headers && { headers: options.headers }) })
}
