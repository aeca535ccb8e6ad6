// What the API says of calls that wait, and takes as a decision.
import {
  anyObjectSchema,
  bodySchema,
  booleanSchema,
  enumSchema,
  listSchema,
  nullableTextSchema,
  objectSchema,
  textSchema,
  timestampSchema,
} from './schemas.js'

export const dangerSchema = enumSchema('destructive', 'write', 'read')
export const decisionNames = enumSchema('allow', 'deny')
export const reasonSchema = { type: 'string', maxLength: 1_000, description: 'Shown to the caller with a denial' }

export const approvalSchema = objectSchema({
  id: textSchema,
  digest: { ...textSchema, description: 'Digest of the request; send it back with the answer as `hash`' },
  server: nullableTextSchema,
  'serverIdentity?': { ...textSchema, description: 'The identity of the server, independent of its name' },
  tool: objectSchema({ name: textSchema, 'title?': textSchema, 'description?': textSchema, hash: textSchema }),
  caller: textSchema,
  'unverified?': {
    ...booleanSchema,
    description: 'The caller is unverified: it sent no credentials, and appears to be on this machine',
  },
  arguments: { ...anyObjectSchema, description: 'Exactly what will be sent' },
  display: { ...textSchema, description: 'The same as text, with hidden characters written as \\u{…}' },
  askedAt: timestampSchema,
  expiresAt: timestampSchema,
  held: { ...booleanSchema, description: 'The caller is waiting; if not, it may retry for the decision' },
  'rule?': { ...textSchema, description: 'The rule that asks for approval' },
  'policy?': { ...textSchema, description: 'Version of the rules at the request' },
  danger: dangerSchema,
  hints: anyObjectSchema,
  claims: { ...anyObjectSchema, description: 'Claims of the server about the tool' },
  trusted: booleanSchema,
  'last?': {
    ...objectSchema({ arguments: anyObjectSchema, at: timestampSchema, 'by?': textSchema }),
    description: 'The last approved call of this caller to this tool',
  },
  'changed?': { ...booleanSchema, description: 'Something has changed since the request, so it cannot be allowed' },
  'changes?': listSchema(enumSchema('tool', 'server', 'definition', 'policy')),
})

const always = {
  ...bodySchema({ forMs: { type: 'integer', minimum: 1, maximum: 28_800_000 }, 'arguments?': anyObjectSchema }),
  description: 'Also allows later calls of the tool: for 8 hours at most, with arguments that fit this schema',
}
export const decisionSchema = bodySchema({
  decision: decisionNames,
  'reason?': reasonSchema,
  'always?': always,
  'hash?': { ...textSchema, description: 'The digest of the request that was shown' },
})
