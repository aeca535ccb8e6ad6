// biome-ignore-all lint/suspicious/noTemplateCurlyInString: what is in quotes here is what people write in a config
// Parts of a discovered config that are accepted separately: its settings, its policy, each of its servers, and each file of variables.
import { createHash } from 'node:crypto'
import type { Json, JsonObject } from 'toolwire'
import { isObject } from '../../json/is-object.js'
import { isHeaderOption, redactedArgument, redactedUrl } from '../describe-config.js'
import { isSecretName, looksRandom, masked } from '../secrets.js'
import { commandRisks, isContainerCommand, isShell } from '../servers/command-risks.js'
import { isDecidingVariable } from '../servers/program-files.js'
import type { ServerEntry } from '../servers/read-entry.js'
import { inputVariableName } from '../variables.js'

/** A part of a file that was discovered and not named. Until it is accepted, nothing in it is started, contacted or expanded. */
export type ConfigPart = {
  readonly kind: 'settings' | 'policy' | 'server' | 'variables'
  /** The id of the server; undefined for settings and the policy. */
  readonly id?: string
  /** Digest of the meaningful content: blanks, comments and the order of members do not count. */
  readonly digest: string
  /** A description for people, without secrets. */
  readonly lines: readonly string[]
}

/** A part that nobody has accepted yet, its file, and the command that accepts it. */
export type UntrustedPart = ConfigPart & { readonly file: string; readonly how: string }

type Named = { readonly entry: ServerEntry; readonly id: string }

/** A server with all settings for it, wherever in the file they are. */
export function serverPart({ entry, id }: Named, config: JsonObject): ConfigPart {
  const { at: _, warnings: __, ...rest } = entry
  const settings = writtenServerSettings({ entry, id }, config) ?? null
  const matters = withInputs({ entry: JSON.parse(JSON.stringify(rest)), settings }, config)
  return { kind: 'server', id, digest: digestOf('server', { id, ...matters }), lines: linesOf(entry, matters) }
}

/** The settings of the gateway itself, and those for servers that are not in this file. */
export function settingsPart(servers: readonly Named[], config: JsonObject): ConfigPart {
  const { servers: about, ...rest } = isObject(config.toolwire) ? config.toolwire : {}
  const own = new Set(servers.flatMap(({ entry, id }) => [id, entry.name]))
  const others = isObject(about) ? Object.entries(about).filter(([name]) => !own.has(name)) : []
  const matters = withInputs({ settings: { ...rest, ...(others.length > 0 && { servers: Object.fromEntries(others) }) } }, config)
  // The rules are accepted together with the settings that name their file, so they are announced here.
  const shown = Object.entries(matters.settings as JsonObject).map(([name, value]) =>
    name === 'policy' ? rulesLine(shownValue(name, value)) : `sets ${name} to ${shownValue(name, value)}`,
  )
  return { kind: 'settings', digest: digestOf('settings', matters), lines: [...shown, ...readsOf(matters)] }
}

/** A file of variables, identified by its content. */
export function variablesPart(id: string, path: string, text: string): ConfigPart {
  const lines = [`reads variables from ${path}, as it is now`]
  return { kind: 'variables', id, digest: digestOf('variables', { id, path, text }), lines }
}

const rulesLine = (path: string): string => `takes its rules from ${path}, as they are now`

/** The file of rules, identified by its content. */
export function policyPart(path: string, text: string): ConfigPart {
  return { kind: 'policy', digest: digestOf('policy', { path, text }), lines: [rulesLine(path)] }
}

/** Does a file contain no settings? */
export const isEmptySettings = ({ kind, lines }: ConfigPart): boolean => kind === 'settings' && lines.length === 0

export function writtenServerSettings({ entry, id }: Named, { toolwire }: JsonObject): JsonObject | undefined {
  const servers = isObject(toolwire) && isObject(toolwire.servers) ? toolwire.servers : {}
  const found = [id, entry.name].find((name) => Object.hasOwn(servers, name))
  const value = found === undefined ? undefined : servers[found]
  return isObject(value) ? value : undefined
}

/** Adds the inputs of VS Code to a part that refers to them, because they are elsewhere in the file. */
function withInputs(matters: JsonObject, { inputs }: JsonObject): JsonObject {
  return inputs !== undefined && JSON.stringify(matters).includes('${input:') ? { ...matters, inputs } : matters
}

const digestOf = (kind: ConfigPart['kind'], value: JsonObject): string =>
  `${kind}:${createHash('sha256').update(JSON.stringify(value, sorted)).digest('hex')}`

const sorted = (_: string, value: Json): Json =>
  isObject(value) ? Object.fromEntries(Object.entries(value).sort(([one], [other]) => (one < other ? -1 : 1))) : value

function linesOf(entry: ServerEntry, matters: JsonObject): string[] {
  const settings = isObject(matters.settings) ? Object.entries(matters.settings) : []
  return [
    ...(entry.transport === 'child' ? childLines(entry) : remoteLines(entry)),
    ...settings.map(([name, value]) => `${name} is ${shownValue(name, value)}`),
    ...readsOf(matters, entry.inherit),
  ]
}

function childLines({ command = '', args, env, cwd, envFile }: ServerEntry): string[] {
  const target = { kind: 'child' as const, command, args, env }
  return [
    `runs ${[command, ...args.map(shownWord(command, args))].join(' ')}`,
    ...commandRisks(target).map((risk) => `! ${risk}`),
    ...(cwd === undefined ? [] : [`in ${cwd}`]),
    ...Object.entries(env).map(([name, value]) => `with ${name}=${shownValue(name, value)}`),
    ...(envFile === undefined ? [] : [`reads variables from ${envFile}`]),
  ]
}

/**
 * A word of a command without apparent secrets. A script for a shell is one word, so its parts are masked one by one: a variable at its
 * beginning must not hide what it runs. A value after a long option or of a container's variable is no script, and stays masked as a whole.
 */
function shownWord(command: string, args: readonly string[]) {
  const image = isContainerCommand(command) ? imageAt(args) : -1
  return (word: string, at: number, all: readonly string[]): string => {
    const parts = word.split(/([\s;&|`$()<>]+)/)
    const shown = parts.length === 1 ? shownPart(word, at, all) : redactedArgument(word, at, all)
    const before = all[at - 1] ?? ''
    if ((shown === masked && before.startsWith('--')) || (isHeaderOption(before) && !isShell(command))) return shown
    // After the image, `-e` may begin a script.
    if (at <= image && isSecretVariable(word, at, all)) return shown
    if (shown === word || isAddress(word) || isAddress(word.slice(word.indexOf('=') + 1))) return shown
    return parts.length === 1 ? shown : parts.map((part) => shownPart(part, 0, [part])).join('')
  }
}

/** A word without apparent secrets. A variable is shown as in the environment, because its value may be what runs. */
const shownPart: typeof redactedArgument = (word, at, all) => {
  const { name, before, value } = variableIn(word) ?? {}
  const redacted = redactedArgument(word, at, all)
  if (name === undefined || value === undefined || isSecret(name, value)) return redacted
  // The value of a secret option may look like a variable.
  return redacted === masked && !isDecidingVariable(name) ? redacted : `${before}${redactedUrl(value)}`
}

/** The variable that a word of a command sets, if there is one. */
function variableIn(word: string) {
  const { 0: before, 1: option, 2: name } = /^(--env=|-e=?)?([A-Za-z_]\w*)=/.exec(word) ?? []
  return name === undefined ? undefined : { name, option, before, value: word.slice(before?.length) }
}

/** Is this a secret variable of a container? */
function isSecretVariable(word: string, at: number, all: readonly string[]): boolean {
  const { option, name = '' } = variableIn(word) ?? {}
  const isVariable = option !== undefined || ['-e', '--env'].includes(all[at - 1] ?? '')
  return isVariable && isSecretName(name)
}

const containerOptions = new Set(
  `-e --env --env-file -v --volume --mount --tmpfs --name --network --net -p --publish -w --workdir -u --user --platform --pull --label -l
  --memory -m --cpus --gpus --add-host --dns --hostname -h --security-opt --cap-add --cap-drop --restart --entrypoint`.split(
    /\s+/,
  ),
)

/** The index of the word after the options, or -1. Of an option that is not known, it is uncertain whether it has a value. */
function imageAt(all: readonly string[]): number {
  const first = all.findIndex((word) => word === 'run' || word === 'exec' || word === 'create') + 1
  if (first === 0) return -1
  const isImage = (word: string, at: number) => at >= first && !word.startsWith('-') && !containerOptions.has(all[at - 1] ?? '')
  const image = all.findIndex(isImage)
  return image === -1 ? all.length : image
}

/** An address and nothing else: the ampersands in it separate names and values. */
function isAddress(text: string): boolean {
  const [, ...more] = text.split('&')
  return /^[a-z][a-z0-9+.-]*:\/\/[^\s;|`$()<>]*$/i.test(text) && more.every((part) => part.includes('='))
}

function remoteLines({ url = '', headers }: ServerEntry): string[] {
  const shown = (value: string) => (value.includes('${') ? variablesOnly(value) : masked)
  const sent = Object.entries(headers).map(([name, value]) => `sends the header ${name}: ${shown(value)}`)
  return [`contacts ${redactedUrl(url)}`, ...sent]
}

/** Only the references to variables, without the text between them. */
const variablesOnly = (value: string): string =>
  namesIn(value)
    .map((name) => `\${${name}}`)
    .join(' ')

function shownValue(name: string, value: Json | undefined): string {
  if (typeof value === 'string' && isDecidingVariable(name)) return redactedUrl(value)
  // The text around a variable is shown as well, because it may be what matters, such as an option for a runtime.
  if (typeof value === 'string')
    return aroundVariables(value).some((part) => isSecret(name, part)) ? variablesOnly(value) || masked : redactedUrl(value)
  return JSON.stringify(value, (key, item: Json) => (typeof item === 'string' && isSecret(key, item) ? masked : item))
}

/** The texts between variables. Behind the last brace none is looked for, because each attempt would read to the end. */
function aroundVariables(value: string): string[] {
  const end = value.lastIndexOf('}') + 1
  return [...value.slice(0, end).split(/\$\{[^}]*\}/), value.slice(end)]
}

const isSecret = (name: string, value: string): boolean => !isDecidingVariable(name) && (isSecretName(name) || looksRandom(value))

function readsOf(matters: JsonObject, inherited: readonly string[] = []): string[] {
  const names = [...new Set([...inherited, ...namesIn(JSON.stringify(matters))])]
  return names.length === 0 ? [] : [`reads from the environment: ${names.join(', ')}`]
}

const places = new Set(['workspaceFolder', 'workspaceFolderBasename', 'userHome', 'cwd', 'pathSeparator'])

/** The variables that a text refers to, including those in defaults of other variables. */
function namesIn(text: string): string[] {
  return [...text.matchAll(/\$\{(?:input:([^}]+)|(?:env:)?([A-Za-z_][A-Za-z0-9_]*))/g)].flatMap(([, input, name]) => {
    if (input !== undefined) return [inputVariableName(input)]
    return name === undefined || places.has(name) ? [] : [name]
  })
}
