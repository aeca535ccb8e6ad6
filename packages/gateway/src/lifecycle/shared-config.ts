import { type GatewayConfig, hasSpool } from '../config/gateway-config.js'
import { configSourceOf, type LoadOptions, loadConfig } from '../config/load-config.js'
import { firstConfig, type WatchOptions } from '../config/watch-config.js'
import { configuredRules } from '../guard/policy/configured-rules.js'
import { checkListens } from '../http/listen.js'
import { openConfiguredStore } from '../store/open-configured-store.js'
import { storeKeysIn } from '../store/secrets/gateway-keys.js'
import type { Store } from '../store/store.js'
import { cleaned } from './gateway-log.js'
import type { GatewayOptions } from './gateway-options.js'
import { packageVersion } from './version.js'

/** The database of a gateway without a config file: it takes its config from there, and says there which one it has in force. */
export type SharedConfig = {
  readonly store: Store
  readonly watching: Pick<WatchOptions, 'versions' | 'check'>
  /** With what keeps a newer version from being applied. */
  applied(config: GatewayConfig, trouble: Error | undefined): void
  /** The newest version cannot be applied; or, with undefined, it can. */
  troubled(trouble: Error | undefined): void
}

const longestTrouble = 1_000

/** Undefined where there is a file, or no database. */
export async function openSharedConfig(where: LoadOptions, options: GatewayOptions): Promise<SharedConfig | undefined> {
  if (options.store || (await configSourceOf(where)) !== undefined) return undefined
  // Whether the address is open to everyone depends on what the config says of callers.
  const places = await loadConfig({ ...where, flags: { ...where.flags, host: undefined } })
  if (places.store === undefined) return undefined
  const clean = (text: string) => cleaned(text, (one) => places.secrets.mask(one))
  const onNote = (message: string) => options.onLog?.({ level: 'warning', message: clean(message) })
  // With a file, rules that cannot be used leave those before in force. A version is taken whole, or not at all.
  const check: WatchOptions['check'] = async (config, when) => {
    if (config.version === undefined) return
    await configuredRules(config)
    // Settings that wait for the next start would otherwise end it.
    if (when === 'start') await checkListens(config)
  }
  const store = await openConfiguredStore(places, {
    ...{ ...storeKeysIn(options.env), onNote, version: packageVersion },
    spool: async (versions) => hasSpool((await firstConfig({ ...where, versions, check })).config),
  })
  const { fleet } = store
  if (!fleet) throw new Error('A store in a database is one that gateways share')
  // The next heartbeat says it again.
  const announce = (about: Parameters<typeof fleet.announce>[0]) => void fleet.announce(about).catch(() => undefined)
  let secrets = places.secrets
  const wordsOf = (trouble: Error | undefined) =>
    trouble && cleaned(trouble.message, (one) => secrets.mask(one)).slice(0, longestTrouble)
  return {
    store,
    watching: { versions: fleet.configs, check },
    applied(config, trouble) {
      const { version = 0 } = config
      secrets = config.secrets
      if (version > 0) options.onLog?.({ level: 'info', message: `Version ${version} of the config is in force` })
      announce({ configVersion: version, configTrouble: wordsOf(trouble) })
    },
    troubled: (trouble) => announce({ configTrouble: wordsOf(trouble) }),
  }
}
