import { ConfigError, type GatewayConfig, type LoadOptions, loadConfig } from '../../config/index.js'
import { untrustedLines } from '../../config/trust/trust-messages.js'
import { firstConfig } from '../../config/watch-config.js'
import { StoreFailure } from '../../store/store-failure.js'
import { type CommandInput, optionText } from '../command.js'
import { countOf } from '../output/count.js'
import { keyPlaces } from '../store/shared-store.js'
import { configPath } from '../target/target.js'
import { type DoctorFinding, errorFinding, okFinding, warningFinding } from './finding.js'

/** Is the config readable, and is anything in it suspicious? */
export async function checkConfigFile(input: CommandInput): Promise<{ config?: GatewayConfig; findings: DoctorFinding[] }> {
  const path = configPath(input)
  const { env, cwd } = input
  const flags = { port: optionText(input, 'port'), dataDir: optionText(input, 'dataDir') }
  try {
    const { config, unusable, unread } = await usedConfig({ path, env, cwd, flags })
    if (unread !== undefined) return { config, findings: [errorFinding('config', unread)] }
    const { source, version, upstreams, warnings, trust } = config
    const place = source ?? (version === undefined ? undefined : `version ${version} of the database`)
    const findings = [
      ...linesOf(unusable).map((line) => errorFinding('config', `${line}; a gateway here starts with version ${version}`)),
      place ? okFinding('config', `${place}, with ${countOf(upstreams.length, 'server')}`) : warningFinding('config', noConfig),
      ...untrustedLines(trust?.waiting ?? []).map((line) => warningFinding('trust', line)),
      ...warnings.map((warning) => warningFinding('config', warning)),
      ...(await checkRules(config)),
    ]
    return { config, findings }
  } catch (thrown) {
    if (!(thrown instanceof ConfigError)) throw thrown
    return { findings: linesOf(thrown).map((line) => errorFinding('config', line)) }
  }
}

const linesOf = (thrown: Error | undefined): string[] => thrown?.message.split('\n') ?? []

type UsedConfig = {
  readonly config: GatewayConfig
  /** The problem of the newest version in the database, if an older one is used instead. */
  readonly unusable?: ConfigError | undefined
  /** The reason why no version in the database can be read. */
  readonly unread?: string
}

/** The config that a gateway would use here. */
async function usedConfig(where: LoadOptions): Promise<UsedConfig> {
  const config = await loadConfig(where)
  const { source, store } = config
  if (source !== undefined || store === undefined) return { config }
  const { inspectConfigs } = await import('../../store/postgres/inspect-store.js')
  try {
    return await inspectConfigs(store, keyPlaces(config, where.env), async ({ all: [newest], read }) => {
      const versions = { newest: undefined, newestVersion: newest?.version ?? 0, read, onChange: () => undefined }
      const { config: used, trouble } = await firstConfig({ ...where, versions })
      return { config: used, unusable: trouble }
    })
  } catch (thrown) {
    if (!(thrown instanceof StoreFailure)) throw thrown
    return { config, unread: `The config in the database cannot be read. ${thrown.message}` }
  }
}

const noConfig = 'none was found, so the gateway would serve its examples. Create an mcp.json, or run toolwire import'

async function checkRules(config: GatewayConfig): Promise<DoctorFinding[]> {
  const { policy } = config
  if (policy === undefined) return []
  const { RulesError } = await import('toolwire/rules')
  const { configuredRules } = await import('../../guard/policy/configured-rules.js')
  try {
    const count = (await configuredRules(config))?.set.rules.length ?? 0
    return [okFinding('policy', `${typeof policy === 'string' ? policy : policy.name}, with ${countOf(count, 'rule')}`)]
  } catch (thrown) {
    if (!(thrown instanceof RulesError)) throw thrown
    return thrown.message.split('\n').map((line) => errorFinding('policy', line))
  }
}
