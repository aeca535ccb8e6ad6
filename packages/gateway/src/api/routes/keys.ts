import { type ApiKeyRecord, createApiKey } from 'toolwire/auth'
import type { AuditLog } from 'toolwire/guard'
import { plainText } from 'toolwire/relay'
import { isManagementScope, scopeFault } from '../../access/authenticate.js'
import { callerNameFault } from '../../access/caller-names.js'
import { isStoredKey } from '../../access/credentials.js'
import { runRecorded } from '../../store/audit/record-action.js'
import type { Store } from '../../store/store.js'
import { HttpRefusal, type Manager, type Route, route } from '../route.js'
import { shape } from '../shape.js'

const key = { id: shape.text, 'caller?': shape.text, scopes: shape.list(shape.text), 'expiresAt?': shape.time }

const longestName = 200
const mostScopes = 100
const isName = (text: string): boolean => text.length > 0 && text.length <= longestName

const wanted = {
  type: 'object',
  properties: {
    caller: { type: 'string', minLength: 1, maxLength: longestName, description: 'Name of the caller' },
    scopes: { type: 'array', items: { type: 'string', minLength: 1, maxLength: longestName }, maxItems: mostScopes },
    expiresAt: { type: 'integer', minimum: 0, description: 'Milliseconds since 1970' },
  },
  additionalProperties: false,
}

/** API keys of callers. The stored record can verify a key, but not restore it. */
export const keyRoutes: readonly Route[] = [
  route('GET /keys', 'The API keys, without their secrets', {
    reply: shape.object({ keys: shape.list(shape.object(key)) }),
    handle: ({ control: { store } }) => ({ json: { keys: store.keys.list().map(keyView) } }),
  }),
  route('POST /keys', 'Creates a key. It is shown only once', {
    body: wanted,
    answers: { 201: 'The key', 403: 'The key would outlive the credential that creates it' },
    reply: shape.object({ key: shape.text, ...key }),
    // The schema of the body guarantees the type.
    handle: async ({ control, body, caller }) => ({ status: 201, json: await addKey(control, body as NewKeyRequest, caller) }),
  }),
  route('DELETE /keys/{id}', 'Revokes a key at once', {
    answers: { 404: 'The key does not exist' },
    reply: shape.object({ id: shape.text, revoked: shape.oneOf(true) }),
    async handle({ control, params: { id = '' }, caller }) {
      if (!(await revokeKey(control, id, caller.id))) throw new HttpRefusal(404, `There is no key "${id.slice(0, 40)}"`)
      return { json: { id, revoked: true } }
    },
  }),
]

export type NewKeyRequest = { readonly caller?: string; readonly scopes?: readonly string[]; readonly expiresAt?: number }

type KeyMaker = Pick<Manager, 'id' | 'expiresAt' | 'credential'>

type KeyContext = { readonly store: Pick<Store, 'keys'>; readonly log: AuditLog | undefined }

/** Creates a key, and returns it with its record. A credential that ends cannot continue to manage with a key that it has made. */
export async function addKey({ store, log }: KeyContext, { scopes = [], ...rest }: NewKeyRequest, maker: KeyMaker) {
  const { id: by } = maker
  const end = (isStoredKey(maker) || scopes.some(isManagementScope) ? maker.expiresAt : undefined) ?? Infinity
  if ((rest.expiresAt ?? Infinity) > end)
    throw new HttpRefusal(
      403,
      `Your key, token or session ends at ${new Date(end).toISOString()}, and the new key cannot outlive it. ${laterAdvice}`,
    )
  // The command makes keys without a gateway, whose API would check the request.
  if (rest.caller !== undefined && !isName(rest.caller))
    throw new HttpRefusal(400, `The name of the caller must have 1 to ${longestName} characters`)
  if (scopes.length > mostScopes || !scopes.every(isName))
    throw new HttpRefusal(400, `A key has at most ${mostScopes} scopes, of 1 to ${longestName} characters each`)
  const fault = rest.caller === undefined ? undefined : callerNameFault(rest.caller)
  if (fault !== undefined)
    throw new HttpRefusal(
      400,
      `The name "${plainText.visibleLine(rest.caller ?? '')}" ${fault}. Choose another name for the caller`,
    )
  const several = scopes.find((scope) => /\s/.test(scope))
  if (several !== undefined)
    throw new HttpRefusal(
      400,
      `The scope ${JSON.stringify(several)} contains a space. Name each scope by itself: --scope a --scope b`,
    )
  for (const scope of scopes) {
    const wrong = scopeFault(scope)
    if (wrong !== undefined) throw new HttpRefusal(400, `The scope "${plainText.visibleLine(scope)}" ${wrong}`)
  }
  const { key, record } = await createApiKey({ scopes, ...rest })
  await runRecorded(log, { by, act: 'add-key', about: keyView(record) }, () => store.keys.add(record))
  return { key, ...keyView(record) }
}

const laterAdvice =
  'Set an earlier expiry for the key, or create the key with toolwire keys create, as the account of the gateway'

/** Returns false if there is no such key. */
export async function revokeKey({ store, log }: KeyContext, id: string, by: string): Promise<boolean> {
  if (!store.keys.list().some((key) => key.id === id)) return false
  return runRecorded(log, { by, act: 'revoke-key', about: { id } }, () => store.keys.revoke(id))
}

/** The record of a key, without its hash. */
export const keyView = ({ id, caller, scopes, expiresAt }: ApiKeyRecord) => ({
  id,
  caller,
  scopes: [...scopes],
  ...(expiresAt !== undefined && { expiresAt }),
})
