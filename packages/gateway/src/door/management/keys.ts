import type { JsonObject } from 'toolwire'
import { type ApiKeyRecord, createApiKey } from 'toolwire/auth'
import type { AuditLog } from 'toolwire/guard'
import type { Store } from '../../store/store.js'
import { isReserved } from '../callers.js'
import { recorded } from '../recorded.js'
import { Refused, type Route } from './route.js'
import { listOf, moment, oneOf, shape, text } from './shapes.js'

const key = { id: text, 'caller?': text, scopes: listOf(text), 'expiresAt?': moment }

const wanted = {
  type: 'object',
  properties: {
    caller: { type: 'string', minLength: 1, maxLength: 200, description: 'Who will call with it' },
    scopes: { type: 'array', items: { type: 'string', minLength: 1, maxLength: 200 }, maxItems: 100 },
    expiresAt: { type: 'integer', minimum: 0, description: 'Milliseconds since 1970' },
  },
  additionalProperties: false,
}

/** Keys for callers. What is kept of one is enough to know it again, too little to use it. */
export const keyRoutes: readonly Route[] = [
  {
    method: 'GET',
    path: '/keys',
    summary: 'The keys that were handed out, without the keys themselves',
    reply: shape({ keys: listOf(shape(key)) }),
    handle: ({ control: { store } }) => ({ json: { keys: store.keys.list().map(keyView) } }),
  },
  {
    method: 'POST',
    path: '/keys',
    summary: 'Makes a key. It is shown this once',
    body: wanted,
    answers: { 201: 'The key' },
    reply: shape({ key: text, ...key }),
    // The schema of the body has said that it is a wish.
    handle: async ({ control, body, caller }) => ({ status: 201, json: await addKey(control, body as KeyWish, caller.id) }),
  },
  {
    method: 'DELETE',
    path: '/keys/{id}',
    summary: 'Revokes a key: it is refused from now on',
    answers: { 404: 'There is no such key' },
    reply: shape({ id: text, revoked: oneOf(true) }),
    async handle({ control, params: { id = '' }, caller }) {
      if (!(await revokeKey(control, id, caller.id))) throw new Refused(404, `There is no key "${id.slice(0, 40)}"`)
      return { json: { id, revoked: true } }
    },
  },
]

/** What a key is to be. */
export type KeyWish = { readonly caller?: string; readonly scopes?: readonly string[]; readonly expiresAt?: number }

type Place = { readonly store: Pick<Store, 'keys'>; readonly log: AuditLog | undefined }

/** Makes a key, and gives it with all that is known of it. */
export async function addKey({ store, log }: Place, { scopes = [], ...rest }: KeyWish, by: string): Promise<JsonObject> {
  if (rest.caller !== undefined && isReserved(rest.caller))
    throw new Refused(400, `The gateway itself calls somebody "${rest.caller}"; choose another name for the caller`)
  const { key, record } = await createApiKey({ scopes, ...rest })
  await recorded(log, { by, act: 'add-key', about: keyView(record) }, () => store.keys.add(record))
  return { key, ...keyView(record) }
}

/** False where there is no such key. */
export async function revokeKey({ store, log }: Place, id: string, by: string): Promise<boolean> {
  if (!store.keys.list().some((key) => key.id === id)) return false
  return recorded(log, { by, act: 'revoke-key', about: { id } }, () => store.keys.revoke(id))
}

/** A key without what is secret of it. */
export const keyView = ({ id, caller, scopes, expiresAt }: ApiKeyRecord) => ({
  id,
  caller,
  scopes: [...scopes],
  ...(expiresAt !== undefined && { expiresAt }),
})
