import type { Caller } from 'toolwire'
import { adminScope, isManager } from '../../access/authenticate.js'
import { LoginFailure, type LoginRequest, type ServerLogins } from '../../upstreams/logins/logins.js'
import type { Logins } from '../../upstreams/logins/upstream-logins.js'
import { HttpRefusal, type Route } from '../route.js'
import {
  bodySchema,
  booleanSchema,
  enumSchema,
  listSchema,
  objectSchema,
  textSchema,
  timestampSchema,
} from '../schemas/schemas.js'

const given = (description: string, maxLength = 200) => ({ type: 'string', minLength: 1, maxLength, description })
const login = objectSchema({ since: timestampSchema, issuer: textSchema, scopes: listSchema(textSchema) })
const serverLogins = objectSchema({
  server: textSchema,
  perUser: booleanSchema,
  loggedIn: booleanSchema,
  'login?': login,
  users: listSchema(
    objectSchema({ user: textSchema, since: timestampSchema, issuer: textSchema, scopes: listSchema(textSchema) }),
  ),
})
const begun = { login: textSchema, server: textSchema, 'user?': textSchema, issuer: textSchema, scopes: listSchema(textSchema) }
const statuses = { unknown: 404, unfit: 409, failed: 422 } as const

/** People log in to upstreams, once for all callers or each for themselves. Tokens stay here: only addresses come and go. */
export const loginRoutes = (logins: Logins): readonly Route[] => [
  {
    method: 'GET',
    path: '/logins',
    summary: 'The servers with logins, and their logins',
    reply: objectSchema({ logins: listSchema(serverLogins) }),
    forCallers: true,
    handle: ({ caller }) => ({ json: { logins: isManager(caller) ? logins.list() : ownOf(caller, logins.list()) } }),
  },
  {
    method: 'POST',
    path: '/servers/{id}/logins',
    summary: 'Starts a login; returns the page to open in a browser',
    body: bodySchema({
      redirectUri: given('Address that the browser returns to: https, or http on a loopback address', 2_000),
      'user?': given('Id of the caller, if each has a login; by default the login of the gateway'),
      'scopes?': { type: 'array', items: given('Scopes in addition to those of the config'), maxItems: 100 },
    }),
    reply: objectSchema({ ...begun, page: textSchema, expiresAt: timestampSchema }),
    answers: { 201: 'The page', 404: 'There is no such server', 409: 'The server has no login', 422: 'The login cannot start' },
    forCallers: true,
    async handle({ params: { id = '' }, body: wanted, caller }) {
      checkOwn(caller, { server: id, user: wanted.user }, logins)
      const wish = { ...wanted, server: id, by: caller.id } as unknown as LoginRequest // the schema has said that it is one
      return { status: 201, json: await loginProblem(logins.begin(wish)) }
    },
  },
  {
    method: 'POST',
    path: '/logins/{login}',
    summary: 'Finishes a login with the full address that the browser returned with. It works once',
    body: bodySchema({ address: given('An address with code and state, or with an error', 20_000) }),
    reply: objectSchema({ ...begun, loggedIn: enumSchema(true) }),
    answers: { 404: 'No such login has started', 422: 'The login failed' },
    forCallers: true,
    async handle({ params: { login: id = '' }, body: { address }, caller }) {
      const { page: _, expiresAt: __, ...done } = await loginProblem(logins.finish(id, String(address), caller.id))
      return { json: { ...done, loggedIn: true } }
    },
  },
  {
    method: 'DELETE',
    path: '/servers/{id}/logins',
    summary: 'Deletes a login, and revokes its tokens if the authorization server supports it',
    query: { user: 'Id of the caller; by default the login of the gateway' },
    reply: objectSchema({
      server: textSchema,
      'user?': textSchema,
      loggedIn: enumSchema(false),
      revoked: booleanSchema,
      'note?': textSchema,
    }),
    answers: { 404: 'The login does not exist' },
    forCallers: true,
    async handle({ params: { id = '' }, query, caller }) {
      const user = query.get('user') ?? undefined
      checkOwn(caller, { server: id, user }, logins)
      const end = await logins.forget(id, user, caller.id)
      if (!end) throw new HttpRefusal(404, `There is no login for "${id}"`)
      return { json: { server: id, ...(user !== undefined && { user }), loggedIn: false, ...end } }
    },
  },
]

const ownOf = ({ id }: Caller, all: readonly ServerLogins[]): readonly ServerLogins[] =>
  all
    .filter(({ perUser }) => perUser)
    .map(({ server, perUser, loggedIn, users }) => ({
      server,
      perUser,
      loggedIn,
      users: users.filter(({ user }) => user === id),
    }))

type Meant = { readonly server: string; readonly user: unknown }

/** A caller who may not manage the gateway has a login of its own, and knows of no others. */
function checkOwn(caller: Caller, { server, user }: Meant, logins: Logins): void {
  if (isManager(caller)) return
  if (user !== caller.id || caller.anonymous)
    throw new HttpRefusal(
      403,
      `This needs a key with the scope ${adminScope}. With your own key, log in for yourself: --user ${caller.id}`,
    )
  if (!ownOf(caller, logins.list()).some((one) => one.server === server))
    throw new HttpRefusal(404, `There is no server "${server}" in the config`)
}

function loginProblem<T>(work: Promise<T>): Promise<T> {
  return work.catch((thrown: unknown) => {
    throw thrown instanceof LoginFailure ? new HttpRefusal(statuses[thrown.why], thrown.message) : thrown
  })
}
