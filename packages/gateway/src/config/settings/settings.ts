import type { Json, JsonObject, Limit } from 'toolwire'
import { schemas } from 'toolwire/relay'
import { compile } from 'toolwire/schema'
import { isObject } from '../../json/is-object.js'
import { ConfigError } from '../config-error.js'
import { jsonPointer } from '../documents/document.js'
import type {
  ApprovalsConfig,
  CallersConfig,
  GatewayConfig,
  GuardConfig,
  UpstreamConfig,
  UpstreamLogin,
} from '../gateway-config.js'
import { type OnMissingVariable, substituteVariables } from '../substitute-variables.js'
import type { VariableScope } from '../variables.js'
import { settingsSchema } from './settings-schema.js'

/** The operator's settings for one server. */
export type ServerSettings = Partial<
  Pick<UpstreamConfig, 'trusted' | 'lazy' | 'disabled' | 'prefix' | 'timeout' | 'revision' | 'tools'>
> & {
  readonly auth?: 'oauth' | 'none' | Partial<UpstreamLogin>
  readonly only?: readonly (string | { readonly tool: string; readonly optional?: boolean })[]
}

/** A rate limit as written; the period defaults to a minute. */
type LimitSetting = Omit<Limit, 'per'> & Partial<Pick<Limit, 'per'>>

type Unchanged =
  | 'port'
  | 'host'
  | 'allowedHosts'
  | 'allowedOrigins'
  | 'dataDir'
  | 'logLevel'
  | 'sets'
  | 'clients'
  | 'commands'
  | 'import'

/** The `toolwire` member of a config. */
export type Settings = Partial<Pick<GatewayConfig, Unchanged | 'retention' | 'webhook'>> & {
  readonly policy?: string
  /** An address of PostgreSQL, or `postgres` for the one in DATABASE_URL. */
  readonly store?: string
  readonly console?: false | { readonly port?: number; readonly host?: string }
  readonly servers?: { readonly [id: string]: ServerSettings }
  readonly guard?: Partial<Omit<GuardConfig, 'rate' | 'lists'>> & {
    readonly rate?: LimitSetting | false
    readonly lists?: LimitSetting | false
  }
  readonly approvals?: Partial<ApprovalsConfig>
  readonly witness?: { readonly to: string; readonly everyMs?: number }
  readonly callers?: Partial<CallersConfig>
}

const shape = compile({ type: 'object', properties: { toolwire: settingsSchema } }, { limits: schemas.trustedLimits })

/** Reads the `toolwire` member, or throws with the place of each mistake. */
export function readSettings(config: JsonObject, scope: VariableScope, missing: OnMissingVariable = 'refuse'): Settings {
  // The text is checked before variables are substituted, so that no message can repeat the value of a variable.
  const issues = shape.check(config)
  if (issues.length > 0) throw new ConfigError(issues.map(({ path, ...issue }) => ({ at: path, message: sentence(issue) })))
  const { toolwire } = config
  if (!isObject(toolwire)) return {}
  // The schema guarantees the type.
  return filled(toolwire, '/toolwire', (text, at) => substituteVariables(text, scope, { at, missing })) as Settings
}

type SchemaIssue = { readonly message: string; readonly expected?: string; readonly got?: string; readonly keyword: string }

/** Rewrites a message of the validator, because its messages repeat texts, which may be secrets. */
function sentence({ message, expected, got, keyword }: SchemaIssue): string {
  if (keyword === 'additionalProperties') return `${message}${message.endsWith('?') ? '' : '; remove it'}`
  if (expected === undefined || keyword === 'required') return message
  return `expected ${expected}, got ${withoutText(got ?? 'nothing', expected)}`
}

/** Shows a number only where a number is expected; elsewhere it may be a secret written without quotes. */
function withoutText(got: string, expected: string): string {
  if (got.startsWith('the string ')) return 'another string'
  return got.startsWith('the number ') && !/number|integer/.test(expected) ? 'a number' : got
}

/** Texts for people and models, in which variables are not substituted. */
const prose = /^\/toolwire\/servers\/[^/]*\/tools\/[^/]*\/(title|description)$/

function filled(value: Json | undefined, at: string, fill: (text: string, at: string) => string): Json | undefined {
  if (typeof value === 'string') return prose.test(at) ? value : fill(value, at)
  if (Array.isArray(value)) return value.map((item, index) => filled(item, at + jsonPointer(index), fill) ?? null)
  if (!isObject(value)) return value
  return Object.fromEntries(Object.entries(value).map(([key, item]) => [key, filled(item, at + jsonPointer(key), fill)]))
}
