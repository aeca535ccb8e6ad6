import type { JsonObject } from 'toolwire'
import { sanitizing } from 'toolwire/relay'
import { longestTimer } from '../../bounds/longest-timer.js'
import { approvalAudiences, logLevels } from '../gateway-config.js'

const text = { type: 'string', minLength: 1 }
const texts = { type: 'array', items: text }
const flag = { type: 'boolean' }
const count = { type: 'integer', minimum: 1 }
const duration = { type: 'integer', minimum: 1, maximum: longestTimer }

const record = (properties: JsonObject, required: string[] = []): JsonObject => ({
  type: 'object',
  properties,
  required,
  additionalProperties: false,
})
const map = (additionalProperties: JsonObject): JsonObject => ({ type: 'object', additionalProperties })
/** An object or another form, chosen by type, so that mistakes inside the object are reported by their place. */
const objectOr = (type: string, object: JsonObject, other: JsonObject): JsonObject => ({
  type: [type, 'object'],
  if: { type: 'object' },
  // biome-ignore lint/suspicious/noThenProperty: a keyword of JSON Schema
  then: object,
  else: other,
})
const orFalse = (schema: JsonObject): JsonObject => objectOr('boolean', schema, { const: false })
const oneOrMore = { type: ['string', 'array'], minLength: 1, items: text, minItems: 1 }

const limit = record({ calls: count, burst: count, per: { enum: ['second', 'minute', 'hour', 'day'] } }, ['calls'])
const hints = record({ readOnly: flag, destructive: flag, idempotent: flag, openWorld: flag })
const rules = record(
  Object.fromEntries(sanitizing.sanitizeRules.map((rule) => [rule, { enum: [...sanitizing.sanitizeActions] }])),
)

const tool = record({
  rename: { type: 'string', pattern: '^[A-Za-z0-9_.-]{1,128}$' },
  hidden: flag,
  title: text,
  description: text,
  arguments: { type: 'object' },
  hints,
  optional: flag,
})

const scopes = { type: 'array', items: { type: 'string', pattern: '^[!#-\\[\\]-~]+$' } }
const client = { clientId: text, clientSecret: text, issuer: text, scopes }
const auth = objectOr('string', record({ type: { const: 'oauth' }, perUser: flag, ...client }), { enum: ['oauth', 'none'] })

/** The name of a tool, or a tool that the server need not have. */
const onlyOne = objectOr('string', record({ tool: text, optional: flag }, ['tool']), { minLength: 1 })

const server = record({
  trusted: flag,
  lazy: flag,
  disabled: flag,
  prefix: { type: ['string', 'boolean'], not: { const: true } },
  auth,
  timeout: record({ idleMs: duration, totalMs: duration }),
  revision: oneOrMore,
  only: { type: 'array', items: onlyOne },
  tools: map(tool),
})

const guard = record({
  rate: orFalse(limit),
  lists: orFalse(limit),
  sanitize: orFalse(record({ rules })),
  pins: { enum: [true, false, 'strict'] },
  approvals: flag,
  readOnlyClaims: { enum: ['run', 'wait'] },
  audit: objectOr('boolean', record({ spool: flag }), {}),
  inFlight: count,
  inFlightEach: count,
  inFlightUpstream: count,
  queue: { type: 'integer', minimum: 0 },
})

// biome-ignore lint/suspicious/noThenProperty: a keyword of JSON Schema
const otherAudiences = { type: ['string', 'array'], items: text, if: { type: 'string' }, then: { const: 'any' } }

const callers = record({
  loopback: flag,
  apiKeys: flag,
  oauth: record({ issuer: text, url: text, audience: oneOrMore, otherAudiences, jwks: text, scopes: texts }, ['issuer']),
})

/** The JSON Schema of the `toolwire` member of a config; editors can use it too. */
export const settingsSchema: JsonObject = record({
  port: { type: 'integer', minimum: 0, maximum: 65_535 },
  host: text,
  console: orFalse(record({ port: { type: 'integer', minimum: 0, maximum: 65_535 }, host: text })),
  allowedHosts: texts,
  allowedOrigins: texts,
  dataDir: text,
  store: text,
  logLevel: { enum: [...logLevels] },
  policy: text,
  sets: map({ type: 'array', items: text, minItems: 1 }),
  servers: map(server),
  guard,
  approvals: record({ ask: { enum: [...approvalAudiences] }, waitMs: duration, holdMs: duration, mostPending: count }),
  retention: record({ days: { type: 'number', exclusiveMinimum: 0 }, records: count }),
  witness: record({ to: text, everyMs: { type: 'integer', minimum: 1_000, maximum: longestTimer } }, ['to']),
  webhook: record({ url: text, secret: text }, ['url', 'secret']),
  callers,
  clients: map(record({ schemas: { enum: ['plain', 'original'] } })),
  import: texts,
  commands: texts,
})
