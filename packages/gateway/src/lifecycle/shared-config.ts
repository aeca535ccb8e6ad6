import { type GatewayConfig, hasSpool } from '../config/gateway-config.js'
import { configSourceOf, type LoadOptions, loadConfig } from '../config/load-config.js'
import { firstConfig, type WatchOptions } from '../config/watch-config.js'
import { configuredRules } from '../guard/policy/configured-rules.js'
import { checkListens } from '../http/listen.js'
import { openConfiguredStore } from '../store/open-configured-store.js'
import { storeKeysIn } from '../store/secrets/gateway-keys.js'
import type { Store } from '../store/store.js'
import { cleanLogText } from './gateway-log.js'
import type { GatewayOptions } from './gateway-options.js'
import { packageVersion } from './version.js'

/** The database of a gateway without a config file. The gateway reads its config there and reports the version in force. */
export type SharedConfig = {
  readonly store: Store
  readonly watching: Pick<WatchOptions, 'versions' | 'check'>
  /** Reports the version in force, and the error that keeps a newer version from being applied. */
  applied(config: GatewayConfig, trouble: Error | undefined): void
  /** Reports that the newest version cannot be applied, or with undefined that it can. */
  troubled(trouble: Error | undefined): void
}

const longestTrouble = 1_000

/** Returns undefined if there is a config file, or no database. */
export async function openSharedConfig(where: LoadOptions, options: GatewayOptions): Promise<SharedConfig | undefined> {
  if (options.store || (await configSourceOf(where)) !== undefined) return undefined
  // The host flag is left out, because the callers in the config decide whether an open address is allowed.
  const places = await loadConfig({ ...where, flags: { ...where.flags, host: undefined } })
  if (places.store === undefined) return undefined
  const clean = (text: string) => cleanLogText(text, (one) => places.secrets.mask(one))
  const onNote = (message: string) => options.onLog?.({ level: 'warning', message: clean(message) })
  // With a file, unusable rules leave the old ones in force. A version from the database is applied completely or not at all.
  const check: WatchOptions['check'] = async (config, when) => {
    if (config.version === undefined) return
    await configuredRules(config)
    // Settings that take effect only at a start, such as the address, could otherwise make the start fail.
    if (when === 'start') await checkListens(config)
  }
  const store = await openConfiguredStore(places, {
    ...{ ...storeKeysIn(options.env), onNote, version: packageVersion },
    spool: async (versions) => hasSpool((await firstConfig({ ...where, versions, check })).config),
  })
  const { fleet } = store
  if (!fleet) throw new Error('A store in a database is one that gateways share')
  // The next heartbeat repeats the announcement.
  const announce = (about: Parameters<typeof fleet.announce>[0]) => void fleet.announce(about).catch(() => undefined)
  let secrets = places.secrets
  const wordsOf = (trouble: Error | undefined) =>
    trouble && cleanLogText(trouble.message, (one) => secrets.mask(one)).slice(0, longestTrouble)
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
