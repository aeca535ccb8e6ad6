import { hostname, userInfo } from 'node:os'
import { type ConfigContent, type ConfigPlaces, diffConfigs, loadConfig, type StoredConfig } from '../../config/index.js'
import { runRecorded } from '../../store/audit/record-action.js'
import { type ConfigVersion, contentHash, type NewVersion } from '../../store/postgres/config-versions.js'
import { isKeyMissing, keyVariables, storeKeysIn } from '../../store/secrets/gateway-keys.js'
import { CommandError, type CommandInput, usageProblem } from '../command.js'
import { formatTime } from '../output/time.js'
import { noSharedStore, reached } from '../store/shared-store.js'
import { localOperator, openLocalStore } from '../target/gateway-or-local.js'

type Adding = Omit<NewVersion, 'by' | 'content' | 'restores'> &
  ({ readonly content: ConfigContent } | { readonly restores: number })

/** Adds it to the database, with a record of it in the audit log, or throws where another version is the newest by now. */
export async function addVersion(
  places: Pick<ConfigPlaces, 'dataDir' | 'store'>,
  { base, note, ...what }: Adding,
  env: CommandInput['env'],
): Promise<ConfigVersion> {
  refuseMissingKeys(places, env)
  const store = await reached(openLocalStore(places, env))
  try {
    const { fleet, audit } = store
    if (!fleet) throw noSharedStore()
    // An old version is sealed anew: it has to be what was pushed.
    const content = 'content' in what ? what.content : await reached(fleet.configs.read(what.restores))
    if (!content) throw new CommandError('There is no such version any more')
    const by = author(env)
    const more = { ...(note !== undefined && { note }), ...('restores' in what && { restores: what.restores }) }
    const about = { version: base + 1, hash: contentHash(content), author: by, ...more }
    const act = 'restores' in what ? 'roll-back-config' : 'push-config'
    return await runRecorded(audit, { by: localOperator, act, about }, async () => {
      const added = await reached(fleet.configs.add({ base, by, content, ...more }))
      if (added) return added
      throw new CommandError(`Version ${base + 1} was pushed by somebody else in this moment. Look at it: toolwire config show`)
    })
  } finally {
    await store.close()
  }
}

/** Keys that were made here would be those of a new database: no replica would start with it. */
function refuseMissingKeys({ dataDir }: Pick<ConfigPlaces, 'dataDir'>, env: CommandInput['env']): void {
  const missing = (['vault', 'audit'] as const).filter((name) => isKeyMissing(name, dataDir, storeKeysIn(env)))
  if (missing.length === 0) return
  const names = missing.map((name) => keyVariables[name]).join(' and ')
  throw usageProblem(
    `The keys of the replicas are needed here. Set ${names}, or name a data directory that has them with --data-dir`,
  )
}

/** As this machine knows them. Nobody checks it: who can write to the database could say anything. */
function author(env: CommandInput['env']): string {
  try {
    return `${userInfo().username}@${hostname()}`
  } catch {
    return `${env.USER ?? 'unknown'}@${hostname()}` // an account without a name, as containers have it
  }
}

/** What one version makes of the other, by names; everything where there was none. Variables are those of the replicas. */
export async function changesBetween(before: StoredConfig | undefined, after: StoredConfig, { env, cwd }: CommandInput) {
  const load = (stored: StoredConfig) => loadConfig({ stored, env, cwd, missing: 'keep' })
  const empty: StoredConfig = { version: 0, config: { name: 'mcp.json', text: '{}' } }
  // What an older version of this program has pushed may mean nothing to this one.
  const old = await load(before ?? empty).catch(() => load(empty))
  const changes = Object.entries(diffConfigs(old, await load(after))).filter(([, names]) => names.length > 0)
  return Object.fromEntries(changes) as Partial<ReturnType<typeof diffConfigs>>
}

const words = {
  added: 'adds servers',
  removed: 'removes servers',
  changed: 'restarts servers',
  revised: 'changes what is offered of servers',
  settings: 'changes settings',
  restart: 'changes settings with the next start of each replica',
} as const

export const changeLines = (changes: Awaited<ReturnType<typeof changesBetween>>): string[] =>
  Object.entries(words).flatMap(([name, said]) => {
    const names = changes[name as keyof typeof words] ?? []
    return names.length === 0 ? [] : [`${said}: ${names.join(', ')}`]
  })

export const versionLine = ({ version, at, by, note }: ConfigVersion): string =>
  `version ${version}, of ${formatTime(at)} UTC by ${by}${note === undefined ? '' : `: ${note}`}`
