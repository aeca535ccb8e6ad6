import { ConfigError, type GatewayConfig, loadConfig } from '../../config/index.js'
import { waitingLines } from '../../config/trust/words.js'
import { misspelledServers } from '../../offers/missing/in-rules.js'
import { toolsForCalls } from '../../offers/named-tools.js'
import { type Input, textOf } from '../spec.js'
import { configPath } from '../target/config-path.js'
import { doubtful, type Finding, fine, wrong } from './finding.js'

/** Can the config be read, and is there anything odd about it? */
export async function checkConfig(input: Input): Promise<{ config?: GatewayConfig; findings: Finding[] }> {
  const path = configPath(input)
  const { env, cwd } = input
  const flags = { port: textOf(input, 'port'), dataDir: textOf(input, 'dataDir') }
  try {
    const config = await loadConfig({ path, env, cwd, flags })
    const { source, upstreams, warnings } = config
    const head = source
      ? fine('config', `${source}, with ${upstreams.length} servers`)
      : doubtful('config', 'none was found, so the examples would be served; make an mcp.json, or toolwire import')
    const untrusted = waitingLines(config.trust?.waiting ?? []).map((line) => doubtful('trust', line))
    return {
      config,
      findings: [head, ...untrusted, ...warnings.map((warning) => doubtful('config', warning)), ...(await checkRules(config))],
    }
  } catch (thrown) {
    if (!(thrown instanceof ConfigError)) throw thrown
    return { findings: thrown.message.split('\n').map((line) => wrong('config', line)) }
  }
}

async function checkRules({ policy, upstreams }: GatewayConfig): Promise<Finding[]> {
  if (policy === undefined) return []
  const { loadRules, RulesError } = await import('toolwire/rules')
  try {
    const ids = upstreams.map(({ id }) => id)
    const { set } = await loadRules(policy, {
      toolsFor: toolsForCalls(upstreams.map((config) => ({ config, tools: undefined }))),
      check: (rules) => misspelledServers(rules, ids),
    })
    return [fine('policy', `${policy}, with ${set.rules.length} rules`)]
  } catch (thrown) {
    if (!(thrown instanceof RulesError)) throw thrown
    return thrown.message.split('\n').map((line) => wrong('policy', line))
  }
}
