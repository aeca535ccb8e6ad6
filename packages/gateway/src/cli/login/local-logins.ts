import type { JsonObject } from 'toolwire'
import { packageVersion } from '../../common/version.js'
import { loadConfig } from '../../config/load-config.js'
import { untrustedLines } from '../../config/trust/trust-messages.js'
import { openStore } from '../../store/open-store.js'
import type { Store } from '../../store/store.js'
import { UpstreamLogins } from '../../upstreams/logins/upstream-logins.js'
import { CommandError, type CommandInput, optionText } from '../command.js'
import { throwStoreInUse } from '../keys/key-manager.js'
import type { LoginManager } from './login-manager.js'

/** A user who can read the data directory is the operator. */
const by = 'operator'

/** Works on the data directory itself: the next gateway that starts there finds the logins. */
export async function localLogins(input: CommandInput): Promise<LoginManager> {
  const { env, cwd } = input
  const config = await loadConfig({
    path: optionText(input, 'config'),
    env,
    cwd,
    flags: { dataDir: optionText(input, 'dataDir') },
  })
  const store = await openStore(config.dataDir, { vaultKey: env.TOOLWIRE_VAULT_KEY }).catch(throwStoreInUse)
  const logins = await openLogins(store, config)
  return {
    waiting: untrustedLines(config.trust?.waiting ?? []),
    list: async () => logins.list() as unknown as JsonObject[], // nothing else is in it
    begin: (wish) => logins.begin({ ...wish, by }),
    finish: async (login, address) => void (await logins.finish(login, address, by)),
    async forget(server, user) {
      const end = await logins.forget(server, user, by)
      if (!end) throw new CommandError(`There is no login for "${server}"`)
      return end
    },
    async [Symbol.asyncDispose]() {
      logins.close()
      await store.close()
    },
  }
}

async function openLogins(
  store: Store,
  { upstreams, guard, trust }: Awaited<ReturnType<typeof loadConfig>>,
): Promise<UpstreamLogins> {
  const log = guard.audit ? store.audit : undefined
  try {
    return await UpstreamLogins.open({
      store,
      version: packageVersion,
      upstreams: () => upstreams,
      waiting: () => trust?.waiting ?? [],
      log: () => log,
    })
  } catch (thrown) {
    await store.close()
    throw thrown
  }
}
