import { existsSync } from 'node:fs'
import { problem } from '../config-error.js'
import { headerArgument } from '../describe-config.js'
import { readDotenv } from '../documents/dotenv.js'
import { readNamedFile, withFileName } from '../documents/read-document.js'
import type { Target, ToolOverride } from '../gateway-config.js'
import { isOwnAddress, isOwnCommand, type OwnAddress } from '../own-address.js'
import { resolvePath } from '../paths.js'
import type { Secrets } from '../secrets.js'
import { checkWebUrl } from '../settings/check-settings.js'
import type { ServerSettings } from '../settings/settings.js'
import { type OnMissingVariable, substituteVariables } from '../substitute-variables.js'
import { type FileTrust, UntrustedVariablesError } from '../trust/trust.js'
import { variablesPart } from '../trust/untrusted-parts.js'
import { fromEnvironment, type VariableScope } from '../variables.js'
import { checkCommandAllowed } from './allowed-commands.js'
import type { ServerEntry } from './read-entry.js'
import { withLogin } from './upstream-login.js'

export type UpstreamContext = {
  readonly scope: VariableScope
  readonly own: OwnAddress
  readonly source: string | undefined
  readonly secrets: Secrets
  /** Globs over the words of command lines; other programs are not started. */
  readonly commands: readonly string[] | undefined
  /** The handling of unset variables. */
  readonly missing: OnMissingVariable
  /** The trust in the server's file, if that file was discovered. */
  readonly trust: FileTrust | undefined
  /** Called with each further file that the upstream depends on. */
  readonly onFile: (path: string) => void
}

type Expand = (text: string, at?: string) => string

/** Makes an upstream of an entry. A disabled upstream may refer to unset variables and missing files. */
export async function upstreamConfigOf(entry: ServerEntry, id: string, settings: ServerSettings, workshop: UpstreamContext) {
  const disabled = settings.disabled ?? entry.disabled
  const missing: OnMissingVariable = disabled ? 'keep' : workshop.missing
  const fill: Expand = (text, at = '') => substituteVariables(text, workshop.scope, { at: entry.at + at, missing })
  const place = entry.transport === 'child' ? await child(entry, fill, { ...workshop, disabled, id }) : remote(entry, fill)
  const target = withLogin(place, settings, id)
  noteSecrets(target, workshop.secrets)
  if (!disabled) refuseOwn(target, entry, workshop)
  if (!disabled) checkCommandAllowed(target, entry, workshop)
  const only = settings.only?.map((one) => (typeof one === 'string' ? one : one.tool)) ?? entry.only
  const optional = settings.only?.flatMap((one) => (typeof one !== 'string' && one.optional ? [one.tool] : [])) ?? []
  const timeout =
    settings.timeout ?? (entry.timeoutMs === undefined ? undefined : { idleMs: entry.timeoutMs, totalMs: entry.timeoutMs })
  return {
    id,
    disabled,
    lazy: settings.lazy ?? false,
    trusted: settings.trusted ?? false,
    target,
    tools: { ...settings.tools, ...hiddenTools(entry.hidden, settings.tools) },
    prefix: settings.prefix ?? id,
    ...(only && { only }),
    ...(optional.length > 0 && { optional }),
    ...(timeout && { timeout }),
    ...(settings.revision !== undefined && { revision: settings.revision }),
  }
}

type ChildContext = UpstreamContext & { readonly disabled: boolean; readonly id: string }

async function child(entry: ServerEntry, fill: Expand, context: ChildContext): Promise<Target> {
  const { scope, onFile, disabled, trust, id, missing } = context
  const { env, workspace, home } = scope
  const inherited = entry.inherit.map((name) => [name, fromEnvironment(env, name)]).filter(([, value]) => value !== undefined)
  const file = entry.envFile === undefined || disabled ? undefined : resolvePath(workspace, fill(entry.envFile, '/envFile'), home)
  const command = fill(entry.command ?? '', '/command')
  const isAccepted = (text: string) => trust?.holds(variablesPart(id, file ?? '', text)) ?? true
  return {
    kind: 'child',
    command: command.startsWith('~/') ? resolvePath('', command, home) : command,
    args: entry.args.map((arg, index) => fill(arg, `/args/${index}`)),
    env: {
      ...Object.fromEntries(inherited),
      ...(await variablesOf(file, entry, { onFile, isAccepted, missing })),
      ...filledRecord(entry.env, fill, '/env'),
    },
    ...(entry.cwd !== undefined && { cwd: resolvePath(workspace, fill(entry.cwd, '/cwd'), home) }),
  }
}

async function variablesOf(
  file: string | undefined,
  { at }: ServerEntry,
  { onFile, isAccepted, missing }: Pick<UpstreamContext, 'onFile' | 'missing'> & { isAccepted: (text: string) => boolean },
): Promise<{ [name: string]: string }> {
  if (file === undefined) return {}
  onFile(file)
  // A file that only the replicas have is as a variable that only they have.
  if (missing === 'keep' && !existsSync(file)) return {}
  const text = await readNamedFile(file, `${at}/envFile`)
  if (!isAccepted(text)) throw new UntrustedVariablesError(`The variables of ${file} wait to be accepted`)
  return withFileName(file, () => readDotenv(text))
}

function remote(entry: ServerEntry, fill: Expand): Target {
  const url = fill(entry.url ?? '', '/url')
  checkWebUrl(url, `${entry.at}/url`)
  const headers = filledRecord(entry.headers, fill, '/headers')
  for (const [name, value] of Object.entries(headers)) checkHeader(name, value, entry.at)
  return { kind: entry.transport === 'sse' ? 'sse' : 'http', url, headers }
}

function checkHeader(name: string, value: string, at: string): void {
  if (!/^[!#$%&'*+.^_`|~0-9A-Za-z-]+$/.test(name))
    throw problem(`${at}/headers`, 'the name of a header can only have letters, digits and hyphens; correct it')
  if (/[^\t\x20-\x7e\x80-\xff]/.test(value))
    throw problem(`${at}/headers/${name}`, 'has a character that a header cannot carry, such as a line end; remove it')
}

const filledRecord = (record: { readonly [name: string]: string }, fill: Expand, at: string): { [name: string]: string } =>
  Object.fromEntries(Object.entries(record).map(([name, value]) => [name, fill(value, `${at}/${name}`)]))

function noteSecrets(target: Target, secrets: Secrets): void {
  if (target.kind !== 'child') {
    const { auth } = target
    secrets.address(target.url)
    if (typeof auth === 'object' && auth.clientSecret !== undefined) secrets.add(auth.clientSecret)
    for (const [name, value] of Object.entries(target.headers)) secrets.header(name, value)
    return
  }
  for (const [name, value] of Object.entries(target.env)) secrets.consider(name, value)
  for (const [index, word] of target.args.entries()) noteArgument(word, target.args[index - 1], secrets)
}

/** Adds the secrets in a word of a command. */
export function noteArgument(word: string, before: string | undefined, secrets: Secrets): void {
  const header = headerArgument(word, before)
  if (header) secrets.header(header.name, header.value)
  else secrets.consider(...namedArgument(word, before))
}

/** The name and value of a command's argument: `--api-key=x`, `--api-key x`, `--env=API_KEY=x`, or `Name: x`. */
export function namedArgument(word: string, before = ''): [string, string] {
  const header = headerArgument(word, before)
  if (header) return [header.name, header.value]
  const { 1: name, 2: value } = /^(-{0,2}[\w-]+)=(.*)$/s.exec(word.replace(/^(?:--env=|-e=)+/, '')) ?? []
  if (name !== undefined && value !== undefined) return [name, value]
  return [before.startsWith('-') && !word.startsWith('-') ? before : '', word]
}

function refuseOwn(target: Target, { at }: ServerEntry, { own, source, scope }: UpstreamContext): void {
  const isOwn =
    target.kind === 'child'
      ? isOwnCommand(target.command, target.args, own, { source, cwd: target.cwd ?? scope.cwd })
      : isOwnAddress(target.url, own)
  if (!isOwn) return
  const place = target.kind === 'child' ? 'command' : 'url'
  throw problem(`${at}/${place}`, 'this is the gateway itself, so calls would loop; remove the server, or disable it')
}

/** Other settings for a tool do not offer it again; only `hidden: false` does. */
const hiddenTools = (names: readonly string[], tools: ServerSettings['tools'] = {}): { [name: string]: ToolOverride } =>
  Object.fromEntries(names.map((name) => [name, { hidden: true, ...(Object.hasOwn(tools, name) && tools[name]) }]))
