import { plainText } from 'toolwire/relay'
import { longestTimer } from '../../bounds/longest-timer.js'
import { isObject } from '../../json/is-object.js'
import { withoutUndefined } from '../../json/without-undefined.js'
import { type EntryFields, entryFields } from './entry-fields.js'
import type { WrittenEntry } from './find-servers.js'

/** Members that hosts write and that the gateway ignores. */
const passedOver = new Set(
  `description title icon name version gallery source settings trust alwaysAllow autoApprove autoStart dev sandbox sandboxEnabled
  roots oauth auth authProviderType targetAudience targetServiceAccount scopes oauth_resource required id tools metadata registry
  startup_timeout_sec startup_timeout_ms experimental_environment supports_parallel_tool_calls default_tools_approval_mode
  watchPaths disabledReason type_hint headersHelper alwaysLoad $schema`.split(/\s+/),
)

const transports: { readonly [type: string]: ServerEntry['transport'] } = {
  ...{ stdio: 'child', local: 'child', sse: 'sse' },
  ...{ http: 'http', 'streamable-http': 'http', streamableHttp: 'http', streamable_http: 'http', remote: 'http' },
}

/** Reads a server in the format of any host. */
export function readEntry({ name, at, value }: WrittenEntry): ServerEntry {
  const fields = entryFields(value, at)
  const url = fields.text('httpUrl', 'serverUrl', 'url', 'uri')
  const child = readChild(value, at)
  const transport = transportOf(fields, { ...withoutUndefined({ url }), ...child, isHttp: typeof value.httpUrl === 'string' })
  const entry: ServerEntry = {
    name,
    at,
    disabled: fields.flag('disabled') === true || fields.flag('enabled') === false,
    ...child,
    ...withoutUndefined({
      url,
      cwd: fields.text('cwd', 'workingDirectory', 'working_directory'),
      envFile: fields.text('envFile'),
    }),
    env: { ...child.env, ...fields.record('env', 'environment') },
    inherit: fields.texts('env_vars') ?? [],
    transport,
    headers: { ...fields.record('headers', 'http_headers'), ...codexHeaders(fields) },
    ...timeoutOf(fields),
    ...withoutUndefined({ only: fields.texts('includeTools', 'enabled_tools')?.map(bareName) }),
    hidden: (fields.texts('excludeTools', 'disabled_tools', 'disabledTools') ?? []).map(bareName),
    warnings: [],
  }
  return { ...entry, warnings: unreadOf(fields, at) }
}

/** Most hosts write a text and a list, opencode a single list, and old versions of Zed an object. */
function readChild(
  value: WrittenEntry['value'],
  at: string,
): Pick<ServerEntry, 'command' | 'args'> & Partial<Pick<ServerEntry, 'env'>> {
  if (isObject(value.command)) {
    const inner = entryFields(value.command, `${at}/command`)
    const args = inner.texts('args', 'arguments') ?? []
    return { ...withoutUndefined({ command: inner.text('path') }), args, env: inner.record('env') }
  }
  const fields = entryFields(value, at)
  if (!Array.isArray(value.command))
    return { ...withoutUndefined({ command: fields.text('command', 'cmd') }), args: fields.texts('args') ?? [] }
  const [command, ...args] = fields.texts('command') ?? []
  return { ...withoutUndefined({ command }), args }
}

type Reached = Pick<ServerEntry, 'url' | 'command'> & { readonly isHttp: boolean }

function transportOf(fields: EntryFields, { url, command, isHttp }: Reached): ServerEntry['transport'] {
  const type = fields.text('type', 'transport', 'transportType')
  if (type === 'ws') throw fields.fault('type', 'WebSocket is not a transport of MCP; use http')
  const transport = transportNamed(type, fields) ?? (command === undefined ? inferred(url, isHttp) : 'child')
  if (url === undefined && command === undefined)
    throw fields.fault('', 'this server has neither a `command` nor a `url`; add one of them')
  if (transport === 'child' && command === undefined)
    throw fields.fault('type', 'a server of type stdio needs a `command`; add it, or change the type to http')
  if (transport !== 'child' && url === undefined)
    throw fields.fault('type', 'a server of this type needs a `url`; add it, or change the type to stdio')
  if (type === undefined && url !== undefined && command !== undefined)
    throw fields.fault('', 'this server has both a `command` and a `url`; remove one, or choose with `type`')
  return transport
}

function transportNamed(type: string | undefined, fields: EntryFields): ServerEntry['transport'] | undefined {
  if (type === undefined || Object.hasOwn(transports, type)) return transports[type ?? '']
  throw fields.fault('type', 'expected one of stdio, http, streamable-http, streamableHttp or sse')
}

const inferred = (url = '', isHttp = false): ServerEntry['transport'] =>
  !isHttp && /\/sse\/?$/.test(url.replace(/[?#].*$/s, '')) ? 'sse' : 'http'

function codexHeaders(fields: EntryFields): { [name: string]: string } {
  const bearer = fields.text('bearer_token_env_var')
  const named = Object.entries(fields.record('env_http_headers')).map(([name, variable]) => [name, `\${${variable}}`])
  return Object.fromEntries([...named, ...(bearer === undefined ? [] : [['Authorization', `Bearer \${${bearer}}`]])])
}

/** Cline and Codex count in seconds, all others in milliseconds. A value below 1000 is in seconds, since no timeout is that short. */
function timeoutOf(fields: EntryFields): { timeoutMs?: number } {
  const seconds = fields.number('tool_timeout_sec')
  const timeout = fields.number('timeout')
  const ms = seconds !== undefined ? seconds * 1_000 : timeout !== undefined && timeout < 1_000 ? timeout * 1_000 : timeout
  return ms === undefined ? {} : { timeoutMs: Math.min(ms, longestTimer) }
}

/** Gemini CLI may name a tool with arguments: `read(path)`. */
const bareName = (name: string): string => name.replace(/\(.*$/s, '')

/** Names that restrict a server. Ignoring a misspelled one would offer tools that should not be offered. */
const restricting = ['includeTools', 'excludeTools', 'enabled_tools', 'disabled_tools', 'disabledTools', 'disabled', 'enabled']

const meantIn = (known: readonly string[], name: string): string | undefined => plainText.nearest(name, known, 2)

const mostUnread = 20

/** Warns about unread members. The members that `readChild` reads are listed here, because it has its own reader. */
function unreadOf(fields: EntryFields, at: string): string[] {
  const known = new Set([...passedOver, 'command', 'cmd', 'args', 'serverUrl', 'httpUrl', 'url', 'uri'])
  const unread = fields.unread.filter((name) => !known.has(name))
  const restriction = unread.find((name) => meantIn(restricting, name) !== undefined)
  if (restriction !== undefined)
    throw fields.fault(restriction, `this name is not known; did you mean ${JSON.stringify(meantIn(restricting, restriction))}?`)
  const warnings = unread.slice(0, mostUnread).map((name) => {
    const meant = meantIn([...fields.read], name)
    const hint = meant === undefined ? '' : `; did you mean ${JSON.stringify(meant)}?`
    return `${at}: ${JSON.stringify(name)} is not known here and is ignored${hint}`
  })
  const more = unread.length - warnings.length
  return more > 0 ? [...warnings, `${at}: ${more} more names are not known here and are ignored`] : warnings
}

/** One server in a common form for all hosts, before variables are substituted. */
export type ServerEntry = {
  readonly name: string
  /** JSON pointer to the server in its file. */
  readonly at: string
  readonly disabled: boolean
  readonly command?: string
  readonly args: readonly string[]
  readonly env: { readonly [name: string]: string }
  /** Names of the gateway's own variables that are passed to the child. */
  readonly inherit: readonly string[]
  readonly envFile?: string
  readonly cwd?: string
  readonly url?: string
  readonly transport: 'child' | 'http' | 'sse'
  readonly headers: { readonly [name: string]: string }
  readonly timeoutMs?: number
  readonly only?: readonly string[]
  readonly hidden: readonly string[]
  readonly warnings: readonly string[]
}
