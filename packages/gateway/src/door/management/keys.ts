import { type ApiKeyRecord, createApiKey } from 'toolwire/auth'
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
    handle: ({ control: { store } }) => ({ json: { keys: store.keys.list().map(shown) } }),
  },
  {
    method: 'POST',
    path: '/keys',
    summary: 'Makes a key. It is shown this once',
    body: wanted,
    answers: { 201: 'The key' },
    reply: shape({ key: text, ...key }),
    async handle({ control: { store, log }, body, caller }) {
      // The schema of the body has said that it is one.
      const { scopes = [], ...rest } = body as { caller?: string; scopes?: string[]; expiresAt?: number }
      const { key, record } = await createApiKey({ scopes, ...rest })
      await recorded(log, { by: caller.id, act: 'add-key', about: shown(record) }, () => store.keys.add(record))
      return { status: 201, json: { key, ...shown(record) } }
    },
  },
  {
    method: 'DELETE',
    path: '/keys/{id}',
    summary: 'Revokes a key: it is refused from now on',
    answers: { 404: 'There is no such key' },
    reply: shape({ id: text, revoked: oneOf(true) }),
    async handle({ control: { store, log }, params: { id = '' }, caller }) {
      if (!store.keys.list().some((key) => key.id === id)) throw new Refused(404, `There is no key "${id.slice(0, 40)}"`)
      await recorded(log, { by: caller.id, act: 'revoke-key', about: { id } }, () => store.keys.revoke(id))
      return { json: { id, revoked: true } }
    },
  },
]

const shown = ({ id, caller, scopes, expiresAt }: ApiKeyRecord) => ({
  id,
  caller,
  scopes: [...scopes],
  ...(expiresAt !== undefined && { expiresAt }),
})
