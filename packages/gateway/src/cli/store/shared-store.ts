import { type ConfigPlaces, configPlaces } from '../../config/index.js'
import { untrustedLines } from '../../config/trust/trust-messages.js'
import { inspectStore, type KeyPlaces, type StoreInspection } from '../../store/postgres/inspect-store.js'
import { storeKeysIn } from '../../store/secrets/gateway-keys.js'
import { CommandError, type CommandInput, exitCodes, optionText, usageProblem } from '../command.js'

export function storePlaces(input: CommandInput): Promise<ConfigPlaces> {
  const { env, cwd } = input
  return configPlaces({ path: optionText(input, 'config'), env, cwd, flags: { dataDir: optionText(input, 'dataDir') } })
}

/** The keys of the gateways, if they are on this machine. */
export const keyPlaces = ({ dataDir }: Pick<ConfigPlaces, 'dataDir'>, env: CommandInput['env']): KeyPlaces => ({
  dataDir,
  keys: storeKeysIn(env),
})

/** The address of PostgreSQL, and the data directory; throws if no PostgreSQL is configured. */
export async function sharedStorePlaces(input: CommandInput) {
  const { store, dataDir, waiting } = await storePlaces(input)
  if (store === undefined) throw waiting.length > 0 ? usageProblem(untrustedLines(waiting).join('\n')) : noSharedStore()
  return { store, dataDir }
}

export const sharedStoreUrl = async (input: CommandInput): Promise<string> => (await sharedStorePlaces(input)).store

export function noSharedStore(): CommandError {
  const how = 'Set store in the config to postgres://user:password@host/database, or set TOOLWIRE_STORE'
  return new CommandError(`No PostgreSQL is configured, so the store belongs to one gateway alone. ${how}`, exitCodes.usage)
}

export const lookAtStore = async (input: CommandInput): Promise<StoreInspection> => inspectStore(await sharedStoreUrl(input))
