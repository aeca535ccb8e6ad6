// Views and edits of the servers in the operator's config. A change is tested before it is written, and confirmed by a hash.
import { createHash } from 'node:crypto'
import type { Json, JsonObject } from 'toolwire'
import { oneAtATime } from '../../bounds/one-at-a-time.js'
import { isObject } from '../../json/is-object.js'
import { ConfigError, problem } from '../config-error.js'
import { describedTarget, redactedArgument } from '../describe-config.js'
import { pointerSegments } from '../documents/document.js'
import { withFileName } from '../documents/read-document.js'
import type { GatewayConfig } from '../gateway-config.js'
import { type LoadOptions, loadConfig } from '../load-config.js'
import { isSecretName } from '../secrets.js'
import { commandRisks } from '../servers/command-risks.js'
import type { WrittenEntry } from '../servers/find-servers.js'
import { readEntry } from '../servers/read-entry.js'
import { serverIdOf } from '../servers/server-id.js'
import { writeTrusted } from '../trust/trusted-edit.js'
import { ConfigText } from './config-text.js'

export type ServerChange =
  | { readonly what: 'add' | 'change'; readonly name: string; readonly entry: JsonObject }
  | { readonly what: 'remove'; readonly name: string }

export type ServerPlan = {
  readonly file: string
  readonly diff: string
  /** The command that will be started, or the URL; undefined if the server is removed. */
  readonly target?: JsonObject
  /** Reasons to review the command before it is started. */
  readonly risks: readonly string[]
  /** A hash of exactly this change to exactly this file. */
  readonly confirm: string
}

export type ServerEdits = ReturnType<typeof createServerEdits>

/** Thrown for an invalid change, or where the config cannot be changed through this gateway. */
export class ServerChangeFailure extends Error {
  override name = 'ServerChangeFailure'
  readonly why: 'unfit' | 'elsewhere'

  constructor(why: ServerChangeFailure['why'], message: string, options?: ErrorOptions) {
    super(message, options)
    this.why = why
  }
}

const changeElsewhere = (message: string) => new ServerChangeFailure('elsewhere', message)

type Parts = {
  readonly config: () => GatewayConfig
  /** Options for reading the config; undefined if a program passed it in. */
  readonly load: LoadOptions | undefined
}

export function createServerEdits({ config, load }: Parts) {
  // Changes are made in turn, so the second of two concurrent ones is compared with the result of the first.
  const inTurn = oneAtATime()
  const opened = async () => {
    const { source, version } = config()
    if (!load) throw changeElsewhere('Another program started this gateway and chose its servers. Change them in that program')
    if (version !== undefined) throw changeElsewhere('The config is in the database. Change it there: toolwire config push')
    if (source === undefined)
      throw changeElsewhere('There is no config yet. Create an mcp.json, or run toolwire import in a terminal')
    return { load, file: await ConfigText.open(source) }
  }

  async function planned(change: ServerChange) {
    const { load, file } = await opened()
    changeServers(file, change)
    const next = await loadConfig({ ...load, path: file.path, text: file.text })
    return { load, file, plan: planOf(change, next, file) }
  }

  return {
    /** A server entry as written in the file, with placeholders for secrets. A placeholder that comes back means "as it is". */
    entry: (id: string) =>
      refusing(async () => {
        const { file } = await opened()
        const found = file.find(id)
        return found && { name: found.name, file: file.path, entry: hidden(found.value) }
      }),
    plan: (change: ServerChange) => refusing(async () => (await planned(change)).plan),
    /** Writes a planned change, and adds the path of the backup; undefined if the change is no longer the confirmed one. */
    apply: (change: ServerChange, confirm: string) =>
      inTurn(() =>
        refusing(async (): Promise<(ServerPlan & { readonly backup?: string }) | undefined> => {
          const { load, file, plan } = await planned(change)
          if (plan.confirm !== confirm) return undefined
          const backup = file.isChanged ? await writeTrusted(file, load) : undefined
          return { ...plan, ...(backup !== undefined && { backup }) }
        }),
      ),
  }
}

async function refusing<T>(work: () => Promise<T>): Promise<T> {
  try {
    return await work()
  } catch (thrown) {
    throw thrown instanceof ConfigError ? new ServerChangeFailure('unfit', thrown.message, { cause: thrown }) : thrown
  }
}

/** Changes the text without writing the file. */
export function changeServers(file: ConfigText, change: ServerChange): void {
  withFileName(file.path, () => {
    if (change.what === 'remove') return file.removeServer(knownIn(file, change.name))
    const { name, entry } = change
    if (change.what === 'change') {
      const { at, value } = knownIn(file, name)
      return file.replace(pointerSegments(at), readable(name, filled(entry, value)))
    }
    const id = serverIdOf(name, '')
    if (file.find(id)) throw problem('', `there is a server ${JSON.stringify(id)} already; change it, or choose another name`)
    file.set([...file.home, name], readable(name, entry))
  })
}

/** Returns the entry; throws if it could not be read as a server. */
function readable(name: string, entry: JsonObject): JsonObject {
  readEntry({ name, at: '', value: entry })
  return entry
}

function knownIn(file: ConfigText, name: string): WrittenEntry {
  const found = file.find(name)
  if (!found) throw problem('', `there is no server ${JSON.stringify(name)} in this file; it may be in another file`)
  return found
}

function planOf(change: ServerChange, next: GatewayConfig, { path, before = '', text, diff }: ConfigText): ServerPlan {
  const id = serverIdOf(change.name, '')
  const upstream = change.what === 'remove' ? undefined : next.upstreams.find((one) => one.id === id)
  return {
    file: path,
    diff,
    ...(upstream && { target: describedTarget(next, upstream) }),
    risks: upstream?.target.kind === 'child' ? commandRisks(upstream.target) : [],
    confirm: createHash('sha256')
      .update(JSON.stringify([path, before, text]))
      .digest('hex'),
  }
}

/** The members of an entry that contain secrets. */
const secretPlaces = ['env', 'environment', 'headers', 'http_headers']
const keptPlaceholder = (name: string) => `<${name}: as it is>`

const mapMembers = (object: JsonObject, change: (value: Json | undefined, name: string) => Json | undefined): JsonObject =>
  Object.fromEntries(Object.entries(object).map(([name, value]) => [name, change(value, name)]))

const hidden = (entry: JsonObject): JsonObject =>
  mapMembers(entry, (value, key) => {
    if (secretPlaces.includes(key) && isObject(value)) return mapMembers(value, (_, name) => keptPlaceholder(name))
    if (isObject(value)) return hidden(value)
    if (Array.isArray(value)) return value.map((item, at) => (isObject(item) ? hidden(item) : hiddenWord(item, at, value)))
    if (typeof value !== 'string') return value
    return isSecretName(key) && !namesVariable.test(key) ? keptPlaceholder(key) : hiddenWord(value, 0, [value])
  })

/** Members with the name of a variable, which is no secret. */
const namesVariable = /_env_var$/

const hiddenWord = (word: Json, at: number, all: readonly Json[]): Json => {
  const words = all.map((one) => (typeof one === 'string' ? one : ''))
  return typeof word !== 'string' || redactedArgument(word, at, words) === word ? word : keptPlaceholder(`word ${at + 1}`)
}

/** Replaces placeholders with the values from the file. */
const filled = (entry: JsonObject, before: JsonObject): JsonObject =>
  mapMembers(entry, (value, name) => {
    const old = before[name]
    if (isObject(value) && isObject(old)) return filled(value, old)
    if (!Array.isArray(value) || !Array.isArray(old))
      return value === keptPlaceholder(name) || value === keptPlaceholder('word 1') ? old : value
    const words = new Map(old.map((word, at) => [keptPlaceholder(`word ${at + 1}`), word]))
    return value.map((item, at) => {
      const was = old[at]
      if (isObject(item) && isObject(was)) return filled(item, was)
      return typeof item === 'string' ? (words.get(item) ?? item) : item
    })
  })
