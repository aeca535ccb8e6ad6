// What the API says of calls that wait, and takes as a decision.
import { anyObject, body, flag, listOf, moment, oneOf, shape, text, textOrNull } from './shapes.js'

export const danger = oneOf('destructive', 'write', 'read')
export const decisions = oneOf('allow', 'deny')
export const reason = { type: 'string', maxLength: 1_000, description: 'Told to the caller, with a no' }

export const approval = shape({
  id: text,
  digest: { ...text, description: 'Of everything that the answer is bound to: to be sent back with it as `hash`' },
  server: textOrNull,
  'serverIdentity?': { ...text, description: 'Which server it is, whatever it is called' },
  tool: shape({ name: text, 'title?': text, 'description?': text, hash: text }),
  caller: text,
  'unverified?': {
    ...flag,
    description: 'Nobody has verified the caller: it has shown nothing, and seems to be on this machine',
  },
  arguments: { ...anyObject, description: 'Exactly what will be sent' },
  display: { ...text, description: 'The same as text, with hidden characters written as \\u{…}' },
  askedAt: moment,
  expiresAt: moment,
  held: { ...flag, description: 'The call waits; if not, an identical one may come back for the decision' },
  'rule?': { ...text, description: 'The one that has it asked about' },
  'policy?': { ...text, description: 'Version of the rules that were in force' },
  danger,
  hints: anyObject,
  claims: { ...anyObject, description: 'What its server claims about the tool' },
  trusted: flag,
  'last?': {
    ...shape({ arguments: anyObject, at: moment, 'by?': text }),
    description: 'The call of the same tool by the same caller that was allowed last',
  },
  'changed?': { ...flag, description: 'Something is not as it was when this was asked: it cannot be allowed' },
  'changes?': listOf(oneOf('tool', 'server', 'definition', 'policy')),
})

const always = {
  ...body({ forMs: { type: 'integer', minimum: 1, maximum: 28_800_000 }, 'arguments?': anyObject }),
  description: 'Allows later calls of the tool, too: for 8 hours at most, and with arguments that fit this schema',
}
export const decision = body({
  decision: decisions,
  'reason?': reason,
  'always?': always,
  'hash?': { ...text, description: 'The digest of what was shown: nothing else is decided about' },
})
