// A config that replicas share in their database. It has no folder, and must mean the same on every machine.
import { isAbsolute } from 'node:path'
import type { Json, JsonObject } from 'toolwire'
import { isObject } from '../json/is-object.js'
import { ConfigError, type ConfigProblem } from './config-error.js'
import { jsonPointer } from './documents/document.js'
import { isHarmlessParameter, isSecretName } from './secrets.js'
import { findServers } from './servers/find-servers.js'
import { readEntry, type ServerEntry } from './servers/read-entry.js'
import { namedArgument } from './servers/upstream-config.js'
import { isWebUrl } from './witness-location.js'

/** A text with the name of its file, whose extension decides the format. */
export type NamedText = { readonly name: string; readonly text: string }

export type ConfigContent = { readonly config: NamedText; readonly policy?: NamedText }

export type StoredConfig = ConfigContent & { readonly version: number }

/** Takes the place of a file name in messages. */
export const storedConfigPlace = ({ version, config }: StoredConfig): string => `config version ${version}, ${config.name}`

/** Throws for each part that could not work on every machine, or that is a secret in plain text. */
export function refuseUnsharedParts(written: JsonObject): void {
  const servers = findServers(written).map(readEntry)
  const problems = [...settingProblems(written), ...servers.flatMap(serverProblems)]
  if (problems.length > 0) throw new ConfigError(problems)
}

const ownSettings = {
  store: 'a config in the database cannot name the database; remove this setting, and set TOOLWIRE_STORE for each replica',
  dataDir:
    'each replica has its own data directory; remove this setting, and set TOOLWIRE_DATA_DIR where the default does not fit',
  import: 'files of other programs are on one machine; remove this setting, and write their servers here',
}

function settingProblems({ toolwire }: JsonObject): ConfigProblem[] {
  if (!isObject(toolwire)) return []
  const { witness, webhook, retention, servers, callers } = toolwire
  const own = Object.entries(ownSettings).flatMap(([name, message]) =>
    toolwire[name] === undefined ? [] : [{ at: `/toolwire/${name}`, message }],
  )
  const to = isObject(witness) && typeof witness.to === 'string' && !isWebUrl(witness.to) ? witness.to : undefined
  const byRecords = isObject(retention) && retention.records !== undefined
  const ofServers = Object.entries(isObject(servers) ? servers : {}).flatMap(([id, one]) => {
    if (!isObject(one)) return []
    const at = jsonPointer('toolwire', 'servers', id)
    const { clientSecret, issuer } = isObject(one.auth) ? one.auth : {}
    const pinned = Object.entries(isObject(one.tools) ? one.tools : {}).flatMap(([tool, override]) =>
      isObject(override) ? secretsWithin(at + jsonPointer('tools', tool, 'arguments'), '', override.arguments) : [],
    )
    return [
      ...secretProblem(`${at}/auth/clientSecret`, 'clientSecret', clientSecret),
      ...secretProblem(`${at}/auth/issuer`, '', issuer),
      ...pinned,
    ]
  })
  const oauth = isObject(callers) && isObject(callers.oauth) ? callers.oauth : {}
  return [
    ...own,
    ...(byRecords
      ? [{ at: '/toolwire/retention/records', message: 'the log in PostgreSQL is kept by days; set days instead' }]
      : []),
    ...pathProblem('/toolwire/witness/to', to),
    ...(isObject(webhook) ? secretProblem('/toolwire/webhook/secret', 'secret', webhook.secret) : []),
    ...(isObject(webhook) ? secretProblem('/toolwire/webhook/url', '', webhook.url) : []),
    ...(isObject(witness) ? secretProblem('/toolwire/witness/to', '', witness.to) : []),
    ...['issuer', 'url', 'jwks'].flatMap((name) => secretProblem(`/toolwire/callers/oauth/${name}`, '', oauth[name])),
    ...ofServers,
  ]
}

function serverProblems({ at, command = '', args, cwd, envFile, env, headers, url = '' }: ServerEntry): ConfigProblem[] {
  return [
    ...(isBesideFile(command) ? pathProblem(`${at}/command`, command) : []),
    ...args.flatMap((word, index) => (isBesideFile(word) ? pathProblem(`${at}/args/${index}`, word) : [])),
    ...Object.entries(env).flatMap(([name, value]) => (isOfFolder(value) ? pathProblem(`${at}/env/${name}`, value) : [])),
    ...args.flatMap((word, index) => secretProblem(`${at}/args/${index}`, ...namedArgument(word, args[index - 1]))),
    ...pathProblem(`${at}/cwd`, cwd),
    ...pathProblem(`${at}/envFile`, envFile),
    ...Object.entries(env).flatMap(([name, value]) => secretProblem(`${at}/env/${name}`, name, value)),
    ...Object.entries(headers).flatMap(([name, value]) => secretProblem(`${at}/headers/${name}`, name, value)),
    ...secretProblem(`${at}/url`, '', url),
  ]
}

/** Only these words of a command are known to be paths relative to the config. */
const isBesideFile = (word: string): boolean => /^\.{1,2}([\\/]|$)/.test(word) || isOfFolder(word)
const isOfFolder = (path: string): boolean => path.includes(`\${workspaceFolder`)

function pathProblem(at: string, path: string | undefined): ConfigProblem[] {
  if (path === undefined || (!isOfFolder(path) && (isAbsolute(path) || /^(~([\\/]|$)|\$\{)/.test(path)))) return []
  return [
    { at, message: 'is relative to this file, which replicas do not have; write an absolute path that exists on each replica' },
  ]
}

const secretMessage = `is a secret in plain text, which the database would show; write \${env:NAME}, and set NAME for each replica`
/** Names of a secret and of nothing else, unlike AUTH_MODE or TOKEN_LIMIT. */
const surelySecretName =
  /(password|passwd|passphrase|passcode|secret|credential)s?$|(pwd|token|cookie|authorization|(api|access|account|auth|client|encryption|license|master|private|secret|service|shared|signing)[-_]?key)$|(^|[-_])(pat|pass|pw)$/i
/** Short words and plain numbers may be a mode or a limit, unless the name says otherwise. */
const mayBeSetting = (name: string, value: string): boolean =>
  /^(true|false)?$/.test(value) || (!surelySecretName.test(name) && (value.length < 6 || /^\d{1,12}$/.test(value)))

const reference = /\$\{[^{}]*\}/g
/** A reference may have a default in plain text: `${TOKEN:-secret}`. */
const defaultIn = (word: string): string => /:-(.*)\}$/s.exec(word)?.[1] ?? ''

/** The parts of a value that the database would show. Text around a reference, such as `Bearer ${TOKEN}`, is no secret. */
const literalsIn = (value: string): string[] =>
  value.includes('${') ? [...(value.match(reference) ?? [])].map(defaultIn) : [value]

/** Any password in an address is a secret, however short. */
const hasPassword = (value: string): boolean => {
  const { 1: password } = /^[a-z][a-z0-9+.-]*:\/\/[^:/?#]*:([^/?#]+)@/i.exec(value) ?? []
  return password !== undefined && !password.includes('${')
}

/** The parameters of an address, which may contain references in any part. */
const parametersOf = (value: string): [string, string][] => {
  const { 1: query } = /^[a-z][a-z0-9+.-]*:\/\/[^?#]*\?([^#]*)/i.exec(value) ?? []
  return [...new URLSearchParams(query)].filter(([name]) => !isHarmlessParameter(name))
}

const showsSecret = (name: string, value: string): boolean =>
  (isSecretName(name) && literalsIn(value).some((literal) => !mayBeSetting(name, literal))) ||
  [...new Set([value, ...literalsIn(value)])].some(
    (address) => hasPassword(address) || parametersOf(address).some((parameter) => showsSecret(...parameter)),
  )

function secretProblem(at: string, name: string, value: unknown): ConfigProblem[] {
  if (typeof value === 'number') return secretProblem(at, name, String(value))
  return typeof value === 'string' && showsSecret(name, value) ? [{ at, message: secretMessage }] : []
}

function secretsWithin(at: string, name: string, value: Json | undefined): ConfigProblem[] {
  if (typeof value !== 'object' || value === null) return secretProblem(at, name, value)
  const inner = Object.entries(value)
  return inner.flatMap(([key, item]) => secretsWithin(at + jsonPointer(key), Array.isArray(value) ? name : key, item))
}
