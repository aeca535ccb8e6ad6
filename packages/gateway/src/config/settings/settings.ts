import type { JsonObject, Limit } from 'toolwire'
import { schemas } from 'toolwire/relay'
import { compile } from 'toolwire/schema'
import { isObject } from '../../json/is-object.js'
import { ConfigError } from '../config-error.js'
import type {
  ApprovalsConfig,
  CallersConfig,
  ClientsConfig,
  GuardConfig,
  LogLevel,
  ToolOverride,
  UpstreamLogin,
} from '../gateway-config.js'
import { type OnMissingVariable, substituteVariables } from '../substitute-variables.js'
import type { VariableScope } from '../variables.js'
import { settingsSchema } from './settings-schema.js'

/** What the operator says about one server. */
export type ServerSettings = {
  readonly trusted?: boolean
  readonly lazy?: boolean
  readonly disabled?: boolean
  readonly prefix?: string | false
  readonly auth?: 'oauth' | 'none' | Partial<UpstreamLogin>
  readonly timeout?: { readonly idleMs?: number; readonly totalMs?: number }
  readonly revision?: string | readonly string[]
  readonly only?: readonly (string | { readonly tool: string; readonly optional?: boolean })[]
  readonly tools?: { readonly [name: string]: ToolOverride }
}

/** A limit as it is written: a minute goes without saying. */
type LimitSetting = Omit<Limit, 'per'> & Partial<Pick<Limit, 'per'>>

/** What stands under `toolwire`. */
export type Settings = {
  readonly port?: number
  readonly host?: string
  readonly console?: false | { readonly port?: number; readonly host?: string }
  readonly allowedHosts?: readonly string[]
  readonly allowedOrigins?: readonly string[]
  readonly dataDir?: string
  readonly logLevel?: LogLevel
  readonly policy?: string
  readonly sets?: { readonly [set: string]: readonly string[] }
  readonly servers?: { readonly [id: string]: ServerSettings }
  readonly guard?: Partial<Omit<GuardConfig, 'rate' | 'lists'>> & {
    readonly rate?: LimitSetting | false
    readonly lists?: LimitSetting | false
  }
  readonly approvals?: Partial<ApprovalsConfig>
  readonly retention?: { readonly days?: number; readonly records?: number }
  readonly witness?: { readonly to: string; readonly everyMs?: number }
  readonly webhook?: { readonly url: string; readonly secret: string }
  readonly callers?: Partial<CallersConfig>
  readonly clients?: ClientsConfig
  readonly import?: readonly string[]
  readonly commands?: readonly string[]
}

const shape = compile({ type: 'object', properties: { toolwire: settingsSchema } }, { limits: schemas.trustedLimits })

/** Reads what stands under `toolwire`, or throws with the place of each mistake. */
export function readSettings(config: JsonObject, scope: VariableScope, missing: OnMissingVariable = 'refuse'): Settings {
  // What is checked is the text as it is written, so that no message can repeat the value of a variable.
  const issues = shape.check(config)
  if (issues.length > 0) throw new ConfigError(issues.map(({ path, ...issue }) => ({ at: path, message: sentence(issue) })))
  const { toolwire } = config
  if (!isObject(toolwire)) return {}
  // The schema has said that it is one.
  return filled(toolwire, '/toolwire', { scope, missing }) as Settings
}

type Told = { readonly message: string; readonly expected?: string; readonly got?: string; readonly keyword: string }

/** The validator's sentences repeat texts, which may be secrets. */
function sentence({ message, expected, got, keyword }: Told): string {
  if (keyword === 'additionalProperties') return `${message}${message.endsWith('?') ? '' : '; take it out'}`
  if (expected === undefined || keyword === 'required') return message
  return `expected ${expected}, got ${withoutText(got ?? 'nothing', expected)}`
}

/** A number is shown where one is expected: elsewhere it may be a secret without its quotes. */
function withoutText(got: string, expected: string): string {
  if (got.startsWith('the string ')) return 'another text'
  return got.startsWith('the number ') && !/number|integer/.test(expected) ? 'a number' : got
}

/** What people and models read stays as it is written. */
const prose = new Set(['title', 'description'])

type Filling = { readonly scope: VariableScope; readonly missing: OnMissingVariable }

function filled(value: unknown, at: string, filling: Filling): unknown {
  if (typeof value === 'string') return substituteVariables(value, filling.scope, { at, missing: filling.missing })
  if (Array.isArray(value)) return value.map((item, index) => filled(item, `${at}/${index}`, filling))
  if (typeof value !== 'object' || value === null) return value
  const entries = Object.entries(value)
  return Object.fromEntries(entries.map(([key, item]) => [key, prose.has(key) ? item : filled(item, memberOf(at, key), filling)]))
}

const memberOf = (at: string, key: string): string => `${at}/${key.replaceAll('~', '~0').replaceAll('/', '~1')}`
