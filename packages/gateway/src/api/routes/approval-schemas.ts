import { shape } from '../shape.js'

export const dangerSchema = shape.oneOf('destructive', 'write', 'read')
export const decisionNames = shape.oneOf('allow', 'deny')
export const reasonSchema = { type: 'string', maxLength: 1_000, description: 'Shown to the caller with a denial' }

export const unverifiedSchema = shape.describe(
  shape.boolean,
  'The caller is unverified: it sent no credentials, and appears to be on this machine',
)

export const approvalSchema = shape.object({
  id: shape.text,
  digest: shape.describe(shape.text, 'Digest of the request; send it back with the answer as `hash`'),
  server: shape.nullableText,
  'serverIdentity?': shape.describe(shape.text, 'The identity of the server, independent of its name'),
  tool: shape.object({ name: shape.text, 'title?': shape.text, 'description?': shape.text, hash: shape.text }),
  caller: shape.text,
  'unverified?': unverifiedSchema,
  arguments: shape.describe(shape.anyObject, 'The arguments, exactly as they will be sent'),
  display: shape.describe(shape.text, 'The arguments as text, with hidden characters written as \\u{…}'),
  askedAt: shape.time,
  expiresAt: shape.time,
  held: shape.describe(shape.boolean, 'The caller waits for the decision; otherwise it may retry the call to get the decision'),
  'rule?': shape.describe(shape.text, 'The rule that asks for approval'),
  'policy?': shape.describe(shape.text, 'Version of the rules at the request'),
  danger: dangerSchema,
  hints: shape.anyObject,
  claims: shape.describe(shape.anyObject, 'Claims of the server about the tool'),
  trusted: shape.boolean,
  'last?': {
    ...shape.object({
      arguments: shape.anyObject,
      'cut?': shape.describe(
        shape.boolean,
        'The arguments are shortened, because they do not fit beside a page; GET one call for all',
      ),
      at: shape.time,
      'by?': shape.text,
    }),
    description: 'The last approved call of this caller to this tool',
  },
  'changed?': shape.describe(
    shape.boolean,
    'The tool, its state, its server, the rules or the stored arguments changed since the request, so the call cannot be allowed',
  ),
  'changes?': shape.list(shape.oneOf('tool', 'state', 'server', 'definition', 'policy', 'arguments')),
})

const always = {
  ...shape.body({ forMs: { type: 'integer', minimum: 1, maximum: 28_800_000 }, 'arguments?': shape.anyObject }),
  description: 'Also allows later calls of the tool: for 8 hours at most, with arguments that fit this schema',
}
export const decisionSchema = shape.body({
  decision: decisionNames,
  'reason?': reasonSchema,
  'always?': always,
  'hash?': shape.describe(shape.text, 'The digest of the request that was shown'),
})
