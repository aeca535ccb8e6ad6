import type { ruleParts } from 'toolwire/relay'
import { loadRules, type Rulebook, readRules } from 'toolwire/rules'
import { misspelledServers } from '../../catalog/missing-names/in-rules.js'
import { toolResolver } from '../../catalog/names/named-tools.js'
import type { GatewayConfig } from '../../config/gateway-config.js'
import type { NamedText } from '../../config/stored-config.js'

export const rulesFormat = (name: string): 'json' | 'yaml' => (/\.json$/i.test(name) ? 'json' : 'yaml')

export const givenRules = ({ name, text }: NamedText, options: ruleParts.ReadRulesOptions): Promise<Rulebook> =>
  readRules(text, { format: rulesFormat(name), file: name, ...options })

/** Loads the rules of a config without contacting a server. With `cases: 'ignore'`, misspelled servers are ignored as well. */
export async function configuredRules(
  { policy, upstreams }: Pick<GatewayConfig, 'policy' | 'upstreams'>,
  { cases = 'refuse' }: Pick<ruleParts.ReadRulesOptions, 'cases'> = {},
): Promise<Rulebook | undefined> {
  if (policy === undefined) return undefined
  const ids = upstreams.map(({ id }) => id)
  const options = {
    cases,
    toolsFor: toolResolver(upstreams.map((config) => ({ config, tools: undefined }))),
    ...(cases === 'refuse' && { check: (rules: Rulebook) => misspelledServers(rules, ids) }),
  }
  return typeof policy === 'string' ? loadRules(policy, options) : givenRules(policy, options)
}
