import type { RemoteTool } from 'toolwire/client'
import { missingNames } from '../../catalog/missing-names/missing-names.js'
import type { GatewayConfig } from '../../config/index.js'
import { type DoctorFinding, errorFinding, warningFinding } from './finding.js'

/** Is there what the config and the rules name? What servers have that did not answer is not known. */
export async function checkNames(
  config: GatewayConfig,
  listed: ReadonlyMap<string, readonly RemoteTool[]>,
): Promise<DoctorFinding[]> {
  const { loadRules } = await import('toolwire/rules')
  // Whether the rules can be read has been said already.
  const rules =
    config.policy === undefined ? undefined : await loadRules(config.policy, { cases: 'ignore' }).catch(() => undefined)
  const upstreams = config.upstreams.map((upstream) => ({ config: upstream, tools: listed.get(upstream.id) }))
  return missingNames({ upstreams, sets: config.sets, rules }).map(({ message, isPrecaution }) =>
    isPrecaution ? warningFinding('names', message) : errorFinding('names', message),
  )
}
