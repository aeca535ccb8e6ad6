// Changes to the servers in the config: tried out whole before anything is written, shown without secrets, and confirmed by what they are.
import { createHash } from 'node:crypto'
import type { Json, JsonObject } from 'toolwire'
import { isObject } from '../../json/is-object.js'
import { ConfigError } from '../config-error.js'
import { describeConfig, redactedArgument } from '../describe-config.js'
import type { GatewayConfig } from '../gateway-config.js'
import { type LoadOptions, loadConfig } from '../load-config.js'
import { commandRisks } from '../servers/command-risks.js'
import { serverIdOf } from '../servers/server-id.js'
import { trustedEdit } from '../trust/trusted-edit.js'
import { addServer, type ConfigEdit, changeServer, type EditOptions, removeServer, serverIn } from './edit-config.js'
import { type ServerChange, ServerChangeFailure, type ServerEdits, type ServerPlan } from './server-edits.js'

type Parts = {
  readonly config: () => GatewayConfig
  /** How the config is read; undefined where a program has given it. */
  readonly load: LoadOptions | undefined
}

export function createServerEdits({ config, load }: Parts): ServerEdits {
  const fileOf = (): { readonly path: string; readonly load: LoadOptions } => {
    const { source } = config()
    if (!load)
      throw new ServerChangeFailure('elsewhere', 'Another program has started this gateway with its servers. Change them there')
    if (source === undefined)
      throw new ServerChangeFailure(
        'elsewhere',
        'There is no config yet. Create an mcp.json, or run toolwire import in a terminal',
      )
    return { path: source, load }
  }

  async function edited(change: ServerChange, confirm?: string) {
    const { path, load } = fileOf()
    let planned: ServerPlan | undefined
    let remember: (() => Promise<void>) | undefined
    const check: EditOptions['check'] = async ({ before, text }) => {
      const next = await loadConfig({ ...load, path, text })
      remember = await trustedEdit({ path, before, text }, load)
      planned = planOf(change, next, { path, before, text })
      if (confirm !== undefined && planned.confirm !== confirm) throw new ChangedMeanwhileError()
    }
    const edit = await doneTo(path, await withoutPlaceholders(change, path), { check, dryRun: confirm === undefined })
    if (!planned) throw new Error('A change is looked at before it is made')
    if (confirm !== undefined) await remember?.()
    return { ...planned, diff: edit.diff, ...(edit.backup !== undefined && { backup: edit.backup }) }
  }

  return {
    async entry(id) {
      const { path } = fileOf()
      const found = await refusing(serverIn(path, id))
      return found && { name: found.name, file: path, entry: hidden(found.entry) }
    },
    plan: (change) => refusing(edited(change)),
    apply: (change, confirm) =>
      refusing(edited(change, confirm)).catch((thrown: unknown) => {
        if (thrown instanceof ChangedMeanwhileError) return undefined
        throw thrown
      }),
  }
}

class ChangedMeanwhileError extends Error {}

const refusing = <T>(work: Promise<T>): Promise<T> =>
  work.catch((thrown: unknown) => {
    throw thrown instanceof ConfigError ? new ServerChangeFailure('unfit', thrown.message, { cause: thrown }) : thrown
  })

function doneTo(path: string, change: ServerChange, options: EditOptions): Promise<ConfigEdit> {
  if (change.what === 'remove') return removeServer(path, change.name, options)
  return (change.what === 'add' ? addServer : changeServer)(path, change.name, change.entry, options)
}

type Texts = { readonly path: string; readonly before: string; readonly text: string }

function planOf(change: ServerChange, next: GatewayConfig, { path, before, text }: Texts): ServerPlan {
  const id = serverIdOf(change.name, '')
  const upstream = change.what === 'remove' ? undefined : next.upstreams.find((one) => one.id === id)
  const { upstreams } = describeConfig({ ...next, upstreams: upstream ? [upstream] : [] }) as {
    upstreams: { target: JsonObject }[]
  }
  const target = upstreams[0]?.target
  const confirm = createHash('sha256')
    .update(JSON.stringify([path, before, text]))
    .digest('hex')
  return {
    file: path,
    diff: '',
    ...(target && { target }),
    risks: upstream?.target.kind === 'child' ? commandRisks(upstream.target) : [],
    confirm,
  }
}

/** Where what is secret stands in an entry. */
const secretPlaces = ['env', 'environment', 'headers', 'http_headers']
const kept = (name: string) => `<${name}: as it is>`

/** Placeholders in the place of what is secret. */
function hidden(entry: JsonObject): JsonObject {
  const shown = Object.entries(entry).map(([key, value]): [string, Json | undefined] => {
    if (secretPlaces.includes(key) && isObject(value))
      return [key, Object.fromEntries(Object.keys(value).map((name) => [name, kept(name)]))]
    return [key, Array.isArray(value) ? value.map(hiddenWord) : typeof value === 'string' ? hiddenWord(value, 0, [value]) : value]
  })
  return Object.fromEntries(shown)
}

const hiddenWord = (word: Json, at: number, all: readonly Json[]): Json =>
  typeof word !== 'string' || redactedArgument(word, at, all.map(String)) === word ? word : kept(`word ${at + 1}`)

/** The same with what the file has in the place of placeholders. */
async function withoutPlaceholders(change: ServerChange, path: string): Promise<ServerChange> {
  if (change.what !== 'change') return change
  const found = await serverIn(path, change.name)
  return found ? { ...change, entry: filled(change.entry, found.entry) } : change
}

function filled(entry: JsonObject, before: JsonObject): JsonObject {
  const all = Object.entries(entry).map(([key, value]): [string, Json | undefined] => {
    const old = before[key]
    if (isObject(value) && isObject(old))
      return [
        key,
        Object.fromEntries(Object.entries(value).map(([name, item]) => [name, item === kept(name) ? old[name] : item])),
      ]
    if (Array.isArray(value) && Array.isArray(old)) {
      const words = new Map(old.map((word, at) => [kept(`word ${at + 1}`), word]))
      return [key, value.map((word) => (typeof word === 'string' ? (words.get(word) ?? word) : word))]
    }
    return [key, value === kept('word 1') ? old : value]
  })
  return Object.fromEntries(all)
}
