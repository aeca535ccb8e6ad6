import { misspelledServers } from '../../catalog/missing-names/in-rules.js'
import { toolResolver } from '../../catalog/names/named-tools.js'
import { ConfigError, type GatewayConfig, loadConfig } from '../../config/index.js'
import { untrustedLines } from '../../config/trust/trust-messages.js'
import { type CommandInput, optionText } from '../command.js'
import { configPath } from '../target/target.js'
import { type DoctorFinding, errorFinding, okFinding, warningFinding } from './finding.js'

/** Can the config be read, and is there anything odd about it? */
export async function checkConfigFile(input: CommandInput): Promise<{ config?: GatewayConfig; findings: DoctorFinding[] }> {
  const path = configPath(input)
  const { env, cwd } = input
  const flags = { port: optionText(input, 'port'), dataDir: optionText(input, 'dataDir') }
  try {
    const config = await loadConfig({ path, env, cwd, flags })
    const { source, upstreams, warnings, trust } = config
    const findings = [
      source ? okFinding('config', `${source}, with ${upstreams.length} servers`) : warningFinding('config', noConfig),
      ...untrustedLines(trust?.waiting ?? []).map((line) => warningFinding('trust', line)),
      ...warnings.map((warning) => warningFinding('config', warning)),
      ...(await checkRules(config)),
    ]
    return { config, findings }
  } catch (thrown) {
    if (!(thrown instanceof ConfigError)) throw thrown
    return { findings: thrown.message.split('\n').map((line) => errorFinding('config', line)) }
  }
}

const noConfig = 'none was found, so the gateway would serve its examples. Create an mcp.json, or run toolwire import'

async function checkRules({ policy, upstreams }: GatewayConfig): Promise<DoctorFinding[]> {
  if (policy === undefined) return []
  const { loadRules, RulesError } = await import('toolwire/rules')
  try {
    const ids = upstreams.map(({ id }) => id)
    const { set } = await loadRules(policy, {
      toolsFor: toolResolver(upstreams.map((config) => ({ config, tools: undefined }))),
      check: (rules) => misspelledServers(rules, ids),
    })
    return [okFinding('policy', `${policy}, with ${set.rules.length} rules`)]
  } catch (thrown) {
    if (!(thrown instanceof RulesError)) throw thrown
    return thrown.message.split('\n').map((line) => errorFinding('policy', line))
  }
}
