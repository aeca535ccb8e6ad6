import { hostname, userInfo } from 'node:os'
import { type ConfigContent, type ConfigPlaces, diffConfigs, loadConfig, type StoredConfig } from '../../config/index.js'
import { runRecorded } from '../../store/audit/record-action.js'
import { type ConfigVersion, contentHash, isSealBroken, type NewVersion } from '../../store/postgres/config-versions.js'
import type { InspectedConfigs } from '../../store/postgres/inspect-store.js'
import { CommandError, type CommandInput, optionText, usageProblem } from '../command.js'
import { formatTime } from '../output/time.js'
import { noSharedStore } from '../store/shared-store.js'
import { localOperator, openExistingStore } from '../target/gateway-or-local.js'
import type { Terminal } from '../terminal/terminal.js'
import { visibleText } from '../terminal/visible-text.js'

const mostNoteCharacters = 500

/** The reason for a version; throws for one that is too long for the list of versions. */
export function noteIn(input: CommandInput): string | undefined {
  const note = optionText(input, 'note')
  if (note === undefined || note.length <= mostNoteCharacters) return note
  throw usageProblem(`--note has ${note.length} characters. Write at most ${mostNoteCharacters}`)
}

type AddOptions = Omit<NewVersion, 'by' | 'content' | 'restores'> &
  ({ readonly content: ConfigContent } | { readonly restores: number })

/** Adds a version to the database and the audit log; throws if another version has become the newest. */
export async function addVersion(
  places: Pick<ConfigPlaces, 'dataDir' | 'store'>,
  { base, note, ...what }: AddOptions,
  env: CommandInput['env'],
): Promise<ConfigVersion> {
  const store = await openExistingStore(places, env)
  try {
    const { fleet, audit } = store
    if (!fleet) throw noSharedStore()
    // Reading an old version checks its seal, so that only content that was pushed is restored.
    const content = 'content' in what ? what.content : await fleet.configs.read(what.restores)
    if (!content) throw new CommandError('There is no such version any more')
    const by = author(env)
    const more = { ...(note !== undefined && { note }), ...('restores' in what && { restores: what.restores }) }
    const about = { version: base + 1, hash: contentHash(content), author: by, ...more }
    const act = 'restores' in what ? 'roll-back-config' : 'push-config'
    return await runRecorded(audit, { by: localOperator, act, about }, async () => {
      const added = await fleet.configs.add({ base, by, content, ...more })
      if (added) return added
      throw new CommandError(
        `Another push created version ${base + 1} at the same time. Review it with toolwire config show, and push again`,
      )
    })
  } finally {
    await store.close()
  }
}

/** The author by the names of this machine. They are not verified: anyone who can write to the database could forge them. */
function author(env: CommandInput['env']): string {
  try {
    return `${userInfo().username}@${hostname()}`
  } catch {
    return `${env.USER ?? 'unknown'}@${hostname()}` // an account without a name, as in containers
  }
}

/** The newest version, with its content if that is as it was pushed, and otherwise with a warning. */
export async function newestConfig({ all: [newest], read }: InspectedConfigs) {
  try {
    return { newest, content: await read(newest?.version), warnings: [] }
  } catch (thrown) {
    if (!newest || !isSealBroken(thrown)) throw thrown
    const warning = `Version ${newest.version} was not pushed with the key of these gateways, so nothing is compared with it`
    return { newest, content: undefined, warnings: [warning] }
  }
}

/** The changes between two versions, by names. Without an older version, everything counts as added. Variables stay unexpanded. */
export async function changesBetween(before: StoredConfig | undefined, after: StoredConfig, { env, cwd }: CommandInput) {
  const load = (stored: StoredConfig) => loadConfig({ stored, env, cwd, missing: 'keep' })
  const empty: StoredConfig = { version: 0, config: { name: 'mcp.json', text: '{}' } }
  // This program may be unable to read a version that an older program has pushed.
  const old = await load(before ?? empty).catch(() => load(empty))
  const changes = Object.entries(diffConfigs(old, await load(after))).filter(([, names]) => names.length > 0)
  return Object.fromEntries(changes) as Partial<ReturnType<typeof diffConfigs>>
}

const words = {
  added: 'adds servers',
  removed: 'removes servers',
  changed: 'restarts servers',
  revised: 'changes the offered tools of servers',
  settings: 'changes settings',
  restart: 'changes settings with the next start of each replica',
} as const

type Changes = Awaited<ReturnType<typeof changesBetween>>

export function printChanges(version: number, changes: Changes, { print }: Terminal): void {
  for (const [name, said] of Object.entries(words)) {
    const names = changes[name as keyof Changes]
    if (names) print(visibleText(`Version ${version} ${said}: ${names.join(', ')}`))
  }
}

/** Reports that the newest version has the wanted content already. */
export function reportUnchanged(newest: StoredConfig, said: string, terminal: Terminal): void {
  if (terminal.json) terminal.printJson({ version: newest.version, hash: contentHash(newest), changed: false })
  else terminal.say(said)
}

export const versionLine = ({ version, at, by, note }: ConfigVersion): string =>
  `version ${version}, of ${formatTime(at)} by ${by}${note === undefined ? '' : `: ${note}`}`
