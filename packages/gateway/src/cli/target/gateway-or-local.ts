import type { ConfigPlaces, LoadOptions } from '../../config/load-config.js'
import type { LogVerifier } from '../../store/audit/verify-log.js'
import { openConfiguredStore } from '../../store/open-configured-store.js'
import { isKeyMissing, keyVariables, storeKeysIn } from '../../store/secrets/gateway-keys.js'
import type { Store } from '../../store/store.js'
import { type ApiClient, ApiRefusal, apiClientOf } from '../api/api-client.js'
import { CommandError, type CommandInput, exitCodes, optionText, usageProblem } from '../command.js'

/** The caller's name in the audit log: a user who can read the data directory is the operator. */
export const localOperator = 'operator'

type StorePlaces = Pick<ConfigPlaces, 'dataDir' | 'store'>
type ReadableLog = LogVerifier & { close(): void | Promise<void> }
type Manager = AsyncDisposable & { list(): Promise<unknown> }
type Places<M extends Manager> = {
  readonly gateway: (api: ApiClient) => Omit<M, keyof AsyncDisposable>
  /** Works directly on the data directory. The next gateway that starts there uses the result. */
  readonly own: (load: LoadOptions) => Promise<M>
}

/** Uses the gateway that was named, or runs at the default address. Otherwise, or for a named config or folder, works on the files. */
export async function gatewayOrLocal<M extends Manager>(input: CommandInput, { gateway, own }: Places<M>): Promise<M> {
  const { env, cwd } = input
  const [path, dataDir] = [optionText(input, 'config'), optionText(input, 'dataDir')]
  const load = { path, env, cwd, flags: { dataDir } }
  const isLocal = dataDir !== undefined || path !== undefined
  if (isLocal && optionText(input, 'gateway') !== undefined)
    throw usageProblem('--gateway is for a gateway that runs, --data-dir and --config for one that does not. Choose one')
  if (isLocal) return own(load)
  // The spread has all members of M except this one.
  const manager = { ...gateway(apiClientOf(input)), [Symbol.asyncDispose]: async () => undefined } as unknown as M
  const isNamed = optionText(input, 'gateway') !== undefined || Boolean(env.TOOLWIRE_URL)
  return isNamed || (await answers(manager)) ? manager : own(load)
}

async function answers(manager: Manager): Promise<boolean> {
  try {
    await manager.list()
    return true
  } catch (thrown) {
    // Something answers there: a gateway that has a problem, or a proxy before it.
    if (thrown instanceof ApiRefusal) throw thrown
    if (thrown instanceof CommandError && thrown.exitCode === exitCodes.connection) return false
    throw thrown
  }
}

/** Opens the store of a data directory; throws if another process has it. */
export const openLocalStore = (places: StorePlaces, env: LoadOptions['env']): Promise<Store> =>
  openConfiguredStore(places, storeKeysIn(env)).catch(withAdviceIfInUse)

/** Opens a store that a gateway has used. */
export async function openExistingStore(places: StorePlaces, env: LoadOptions['env']): Promise<Store> {
  requireKeys(['vault', 'audit'], places, env)
  return openLocalStore(places, env)
}

/** Opens the audit log that gateways have written. A data directory or a database is left unchanged. */
export async function openExistingLog({ dataDir, store }: StorePlaces, env: LoadOptions['env']): Promise<ReadableLog> {
  requireKeys(['audit'], { dataDir }, env)
  const keys = storeKeysIn(env)
  if (store !== undefined) {
    const { openDatabaseLog } = await import('../../store/postgres/open-database-log.js')
    return openDatabaseLog(store, dataDir, keys)
  }
  const { openLogForReading } = await import('../../store/audit/open-log-for-reading.js')
  return openLogForReading(dataDir, keys).catch(withAdviceIfInUse)
}

function withAdviceIfInUse(cause: unknown): never {
  const why = cause instanceof Error ? cause.message : String(cause)
  if (!why.includes('is in use by')) throw cause
  const advice = 'If that process is a gateway, name it with --gateway, without --data-dir and --config.'
  throw new CommandError(`${why} ${advice}`, exitCodes.failed, { cause })
}

/** A key that is created here would be another one, and the log would seem altered. */
function requireKeys(needed: readonly (keyof typeof keyVariables)[], { dataDir }: StorePlaces, env: LoadOptions['env']): void {
  const missing = needed.filter((name) => isKeyMissing(name, dataDir, storeKeysIn(env)))
  if (missing.length === 0) return
  const names = missing.map((name) => keyVariables[name]).join(' and ')
  const keys = missing.length === 1 ? 'A key of the gateway is' : 'The keys of the gateway are'
  throw usageProblem(`${keys} not in ${dataDir}. Set ${names} as for the gateway, or name its data directory with --data-dir`)
}
