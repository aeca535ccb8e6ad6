import type { ConfigPlaces, LoadOptions } from '../../config/load-config.js'
import { openConfiguredStore } from '../../store/open-configured-store.js'
import { storeKeysIn } from '../../store/secrets/gateway-keys.js'
import type { Store } from '../../store/store.js'
import { type ApiClient, apiClientOf } from '../api/api-client.js'
import { CommandError, type CommandInput, exitCodes, optionText } from '../command.js'

/** A user who can read the data directory is the operator. */
export const localOperator = 'operator'

type Manager = AsyncDisposable & { list(): Promise<unknown> }
type Places<M extends Manager> = {
  readonly gateway: (api: ApiClient) => Omit<M, keyof AsyncDisposable>
  /** Works on the data directory itself: the next gateway that starts there finds what was done. */
  readonly own: (load: LoadOptions) => Promise<M>
}

/** At the gateway that was named, or that answers where one usually does; a folder that was named is worked on directly. */
export async function gatewayOrLocal<M extends Manager>(input: CommandInput, { gateway, own }: Places<M>): Promise<M> {
  const { env, cwd } = input
  const [path, dataDir] = [optionText(input, 'config'), optionText(input, 'dataDir')]
  const load = { path, env, cwd, flags: { dataDir } }
  if (dataDir !== undefined || path !== undefined) return own(load)
  // It has all members of a manager but the one that is added here.
  const manager = { ...gateway(apiClientOf(input)), [Symbol.asyncDispose]: async () => undefined } as unknown as M
  const isNamed = optionText(input, 'gateway') !== undefined || Boolean(env.TOOLWIRE_URL)
  return isNamed || (await answers(manager)) ? manager : own(load)
}

async function answers(manager: Manager): Promise<boolean> {
  try {
    await manager.list()
    return true
  } catch (thrown) {
    if (thrown instanceof CommandError && thrown.exitCode === exitCodes.connection) return false
    throw thrown
  }
}

/** Another process may have the data directory, and only that one may change what is in it. */
export async function openLocalStore(places: Pick<ConfigPlaces, 'dataDir' | 'store'>, env: LoadOptions['env']): Promise<Store> {
  try {
    return await openConfiguredStore(places, storeKeysIn(env))
  } catch (cause) {
    const why = cause instanceof Error ? cause.message : String(cause)
    if (!why.includes('is in use by')) throw cause
    throw new CommandError(`${why} If that process is a gateway, name it with --gateway.`, exitCodes.connection, { cause })
  }
}
