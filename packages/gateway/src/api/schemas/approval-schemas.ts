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
export const reasonSchema = { type: 'string', maxLength: 1_000, description: 'Told to the caller, with a no' }

export const approvalSchema = objectSchema({
  id: textSchema,
  digest: { ...textSchema, description: 'Of everything that the answer is bound to: to be sent back with it as `hash`' },
  server: nullableTextSchema,
  'serverIdentity?': { ...textSchema, description: 'The identity of the server, independent of its name' },
  tool: objectSchema({ name: textSchema, 'title?': textSchema, 'description?': textSchema, hash: textSchema }),
  caller: textSchema,
  'unverified?': {
    ...booleanSchema,
    description: 'Nobody has verified the caller: it has shown nothing, and seems to be on this machine',
  },
  arguments: { ...anyObjectSchema, description: 'Exactly what will be sent' },
  display: { ...textSchema, description: 'The same as text, with hidden characters written as \\u{…}' },
  askedAt: timestampSchema,
  expiresAt: timestampSchema,
  held: { ...booleanSchema, description: 'The call waits; if not, an identical one may come back for the decision' },
  'rule?': { ...textSchema, description: 'The one that has it asked about' },
  'policy?': { ...textSchema, description: 'Version of the rules that were in force' },
  danger: dangerSchema,
  hints: anyObjectSchema,
  claims: { ...anyObjectSchema, description: 'What its server claims about the tool' },
  trusted: booleanSchema,
  'last?': {
    ...objectSchema({ arguments: anyObjectSchema, at: timestampSchema, 'by?': textSchema }),
    description: 'The call of the same tool by the same caller that was allowed last',
  },
  'changed?': { ...booleanSchema, description: 'Something is not as it was when this was asked: it cannot be allowed' },
  'changes?': listSchema(enumSchema('tool', 'server', 'definition', 'policy')),
})

const always = {
  ...bodySchema({ forMs: { type: 'integer', minimum: 1, maximum: 28_800_000 }, 'arguments?': anyObjectSchema }),
  description: 'Allows later calls of the tool, too: for 8 hours at most, and with arguments that fit this schema',
}
export const decisionSchema = bodySchema({
  decision: decisionNames,
  'reason?': reasonSchema,
  'always?': always,
  'hash?': { ...textSchema, description: 'The digest of what was shown: nothing else is decided about' },
})
