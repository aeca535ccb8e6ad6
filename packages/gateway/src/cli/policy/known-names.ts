import { realpath } from 'node:fs/promises'
import { resolve } from 'node:path'
import type { ruleParts } from 'toolwire/relay'
import { misspelledServers, unreachedRules } from '../../catalog/missing-names/in-rules.js'
import { type MissingName, missingNames } from '../../catalog/missing-names/missing-names.js'
import { toolResolver } from '../../catalog/names/named-tools.js'
import { type GatewayConfig, ifConfigError, loadConfig } from '../../config/index.js'
import { untrustedLines } from '../../config/trust/trust-messages.js'
import { type CommandInput, optionText } from '../command.js'
import { trustedLoadOf } from '../servers/edit-config-file.js'
import type { Terminal } from '../terminal/terminal.js'
import { visibleText } from '../terminal/visible-text.js'

type Rules = Parameters<typeof misspelledServers>[0]

/** The known names of servers and tools, gathered without contacting a server. */
type KnownNames = {
  readonly toolsFor: ruleParts.ToolsFor
  readonly check?: (rules: Rules) => ReturnType<typeof misspelledServers>
  readonly missing: (rules: Rules) => readonly MissingName[]
}

/** Names from the given config, or from the config here if it uses this policy file. Otherwise tools have their default names. */
export async function knownNamesFor(file: string, input: CommandInput, terminal: Terminal): Promise<KnownNames> {
  const config = await configFor(file, input, terminal)
  if (!config) return { toolsFor: toolResolver(undefined), missing: unreachedRules }
  const upstreams = config.upstreams.map((upstream) => ({ config: upstream, tools: undefined }))
  const ids = config.upstreams.map(({ id }) => id)
  return {
    toolsFor: toolResolver(upstreams),
    check: (rules) => misspelledServers(rules, ids),
    missing: (rules) => missingNames({ upstreams, sets: {}, rules }),
  }
}

async function configFor(file: string, input: CommandInput, terminal: Terminal): Promise<GatewayConfig | undefined> {
  const path = optionText(input, 'config')
  const load = trustedLoadOf(input)
  if (path !== undefined) return loadConfig({ ...load, path })
  const note = (text: string) => terminal.say(terminal.paint.dim(visibleText(text)))
  const unreadable = ifConfigError(({ message }) => note(`The config cannot be read, so its names are not used: ${message}`))
  const config = await loadConfig(load).catch(unreadable)
  for (const line of untrustedLines(config?.trust?.waiting ?? [])) note(line)
  const policy = typeof config?.policy === 'object' ? config.policy.name : config?.policy
  return config && policy !== undefined && (await isSame(policy, resolve(input.cwd, file))) ? config : undefined
}

async function isSame(one: string, other: string): Promise<boolean> {
  const real = (path: string) => realpath(path).catch(() => path)
  return (await real(one)) === (await real(other))
}
