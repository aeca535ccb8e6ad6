import type { Caller } from 'toolwire'
import { memoryLimits } from 'toolwire/guard'
import { adminScope, isManager } from '../../access/authenticate.js'
import { LoginFailure, type LoginRequest } from '../../upstreams/logins/logins.js'
import type { Logins, ServerLogins } from '../../upstreams/logins/upstream-logins.js'
import type { Control } from '../control/control.js'
import { foundOr404, HttpRefusal, type Route, route } from '../route.js'
import { shape } from '../shape.js'

const given = (description: string, maxLength = 200) => ({ type: 'string', minLength: 1, maxLength, description })
const login = { since: shape.time, issuer: shape.text, scopes: shape.list(shape.text) }
const serverLogins = shape.object({
  server: shape.text,
  perUser: shape.boolean,
  loggedIn: shape.boolean,
  'login?': shape.object(login),
  users: shape.list(shape.object({ user: shape.text, ...login })),
})
const pendingLogin = {
  login: shape.text,
  server: shape.text,
  'user?': shape.text,
  issuer: shape.text,
  scopes: shape.list(shape.text),
}
const statuses = { unknown: 404, unfit: 409, failed: 422 } as const

/** Each start connects to the upstream and may register a client there. */
const mostStarts = { calls: 10, per: 'minute' } as const

/** Logins to upstreams, for all callers or for each one. Tokens stay in the gateway; only URLs are exchanged. */
export const loginRoutes = (logins: Logins, checkRate = startAllowance()): readonly Route[] => [
  route('GET /logins', 'The servers with logins, and their logins', {
    reply: shape.object({ logins: shape.list(serverLogins) }),
    forCallers: true,
    handle: ({ caller, control }) => ({ json: { logins: loginsFor(caller, control, logins) } }),
  }),
  route('POST /servers/{id}/logins', 'Starts a login; returns the page to open in a browser', {
    body: shape.body({
      redirectUri: given('Address that the browser returns to: https, or http on a loopback address', 2_000),
      'user?': given('Id of the caller, if each has a login; by default the login of the gateway'),
      'scopes?': { type: 'array', items: given('Scopes in addition to those of the config'), maxItems: 100 },
    }),
    reply: shape.object({ ...pendingLogin, page: shape.text, expiresAt: shape.time }),
    answers: {
      201: 'The page',
      404: 'There is no such server',
      409: 'The server has no login',
      422: 'The login cannot start',
      429: 'The caller has started too many logins; Retry-After and retryAfterMs say when to try again',
    },
    forCallers: true,
    async handle({ params: { id = '' }, body: wanted, caller, control }) {
      checkOwn(caller, { server: id, user: wanted.user }, loginsFor(caller, control, logins))
      checkRate(caller)
      const wish = { ...wanted, server: id, by: caller.id } as unknown as LoginRequest // guaranteed by the schema of the body
      return { status: 201, json: await loginProblem(logins.begin(wish)) }
    },
  }),
  route('POST /logins/{login}', 'Finishes a login with the full address that the browser returned with. It works once', {
    body: shape.body({ address: given('An address with code and state, or with an error', 20_000) }),
    reply: shape.object({ ...pendingLogin, loggedIn: shape.oneOf(true) }),
    answers: { 404: 'No such login has started', 422: 'The login failed' },
    forCallers: true,
    async handle({ params: { login: id = '' }, body: { address }, caller }) {
      const given = { login: id, address: String(address), by: caller.id }
      const { page: _, expiresAt: __, ...done } = await loginProblem(logins.finish(given))
      return { json: { ...done, loggedIn: true } }
    },
  }),
  route('DELETE /servers/{id}/logins', 'Deletes a login, and revokes its tokens if the authorization server supports it', {
    query: { user: 'Id of the caller; by default the login of the gateway' },
    reply: shape.object({
      ...shape.each(shape.text, 'server', 'user?', 'note?'),
      loggedIn: shape.oneOf(false),
      revoked: shape.boolean,
    }),
    answers: { 404: 'The login does not exist' },
    forCallers: true,
    async handle({ params: { id = '' }, query, caller, control }) {
      const user = query.get('user') ?? undefined
      checkOwn(caller, { server: id, user }, loginsFor(caller, control, logins))
      const end = foundOr404(await logins.forget(id, user, caller.id), `There is no login for "${id}"`)
      return { json: { server: id, ...(user !== undefined && { user }), loggedIn: false, ...end } }
    },
  }),
]

/** A caller who may not manage the gateway sees only its own logins, and servers that it may use. It can always end a login. */
function loginsFor(caller: Caller, { seesServer }: Pick<Control, 'seesServer'>, logins: Logins): readonly ServerLogins[] {
  if (isManager(caller)) return logins.list()
  return logins
    .list()
    .filter(({ perUser }) => perUser)
    .map(({ login: _, users, ...rest }) => ({ ...rest, users: users.filter(({ user }) => user === caller.id) }))
    .filter(({ server, users }) => users.length > 0 || seesServer(caller, server))
}

/** A caller who may not manage the gateway can use only its own login. */
function checkOwn(caller: Caller, { server, user }: { server: string; user: unknown }, visible: readonly ServerLogins[]): void {
  if (isManager(caller)) return
  const forOneself = `This needs a key with the scope ${adminScope}. With your own key, log in for yourself: --user ${caller.id}`
  if (user !== caller.id || caller.anonymous) throw new HttpRefusal(403, forOneself)
  if (!visible.some((one) => one.server === server)) throw new HttpRefusal(404, `There is no server "${server}" in the config`)
}

/** Limits the logins that a caller who may not manage the gateway starts. */
function startAllowance(): (caller: Caller) => void {
  const limits = memoryLimits()
  return (caller) => {
    const retryAfterMs = isManager(caller) ? 0 : limits.take(caller.id, mostStarts, performance.now())
    if (retryAfterMs === 0) return
    const why = `You have started more than ${mostStarts.calls} logins a ${mostStarts.per}`
    throw new HttpRefusal(429, `${why}. Try again in ${Math.ceil(retryAfterMs / 1_000)} s`, { retryAfterMs })
  }
}

function loginProblem<T>(work: Promise<T>): Promise<T> {
  return work.catch((thrown: unknown) => {
    throw thrown instanceof LoginFailure ? new HttpRefusal(statuses[thrown.why], thrown.message) : thrown
  })
}
