import { accessSync, constants, statSync } from 'node:fs'
import { delimiter, isAbsolute, join, resolve } from 'node:path'
import { CallFailure, type RemoteTool } from 'toolwire/client'
import type { Rulebook } from 'toolwire/rules'
import { abortAfter } from '../../bounds/abort-after.js'
import { missingNames } from '../../catalog/missing-names/missing-names.js'
import type { GatewayConfig, UpstreamConfig } from '../../config/index.js'
import { openClient, openFailureOf } from '../../upstreams/open-client.js'
import { type DoctorFinding, errorFinding, okFinding, warningFinding } from './finding.js'

const openOf = ({ upstreams }: GatewayConfig): UpstreamConfig[] => upstreams.filter(({ disabled }) => !disabled)

/** Do the programs of all servers exist? */
export function checkCommands(config: GatewayConfig, env: NodeJS.ProcessEnv): DoctorFinding[] {
  return openOf(config).flatMap(({ id, target }) => {
    if (target.kind !== 'child') return []
    const path = found(target.command, { path: target.env.PATH ?? env.PATH ?? '', cwd: target.cwd ?? process.cwd() })
    if (path !== undefined) return [okFinding('command', `${id}: ${path}`)]
    const message = `${id}: the program ${target.command} was not found. Install it, or write its full path into the config`
    return [errorFinding('command', message)]
  })
}

function found(command: string, { path, cwd }: { path: string; cwd: string }): string | undefined {
  if (/[\\/]/.test(command)) return [isAbsolute(command) ? command : resolve(cwd, command)].find(isProgram)
  const endings = process.platform === 'win32' ? ['', '.exe', '.cmd', '.bat'] : ['']
  return path
    .split(delimiter)
    .flatMap((folder) => endings.map((ending) => join(folder, command + ending)))
    .find(isProgram)
}

function isProgram(path: string): boolean {
  try {
    accessSync(path, constants.X_OK)
    return statSync(path).isFile()
  } catch {
    return false // missing, or not executable for this account
  }
}

const patienceMs = 15_000

/** Does each server answer? Servers start one at a time, because starting all at once could slow each of them down. */
export async function checkUpstreams(config: GatewayConfig, signal: AbortSignal): Promise<DoctorFinding[]> {
  const findings: DoctorFinding[] = []
  const listed = new Map<string, readonly RemoteTool[]>()
  for (const upstream of openOf(config)) {
    const { finding, tools } = await checkUpstream(upstream, config, signal)
    findings.push(finding)
    if (tools) listed.set(upstream.id, tools)
  }
  return [...findings, ...(await checkNames(config, listed))]
}

async function checkUpstream(
  upstream: UpstreamConfig,
  { secrets }: GatewayConfig,
  signal: AbortSignal,
): Promise<{ readonly finding: DoctorFinding; readonly tools?: readonly RemoteTool[] }> {
  const { id, target } = upstream
  const patient = abortAfter(signal, patienceMs)
  try {
    // Connects as the gateway does, because servers offer their tools by what the client supports.
    await using client = await openClient({ config: upstream, options: { onNote: () => undefined }, signal: patient })
    const tools = await client.listTools({ signal: patient })
    return { tools, finding: okFinding('server', `${id}: speaks ${client.server.revision}, and offers ${tools.length} tools`) }
  } catch (thrown) {
    if (wantsLogin(target, thrown))
      return { finding: okFinding('server', `${id}: answers, and requires a login; see toolwire login`) }
    const isLate = patient.aborted && !signal.aborted
    const why = isLate ? `nothing came within ${patienceMs / 1_000} s` : openFailureOf(thrown, target)
    return { finding: errorFinding('server', secrets.mask(`${id}: does not answer: ${why}`)) }
  }
}

/** The doctor never logs in; only the gateway does. */
const wantsLogin = (target: UpstreamConfig['target'], thrown: unknown): boolean =>
  target.kind !== 'child' && typeof target.auth === 'object' && thrown instanceof CallFailure && thrown.code === 'turned_away'

/** Do the names in the config and the rules exist? The tools of servers that have not listed them are unknown. */
async function checkNames(config: GatewayConfig, listed: ReadonlyMap<string, readonly RemoteTool[]>): Promise<DoctorFinding[]> {
  const rules = await readableRules(config)
  const upstreams = config.upstreams.map((upstream) => ({ config: upstream, tools: listed.get(upstream.id) }))
  const missing = missingNames({ upstreams, sets: config.sets, rules }).map(({ message, isPrecaution }) =>
    isPrecaution ? warningFinding('names', message) : errorFinding('names', message),
  )
  const unlisted = unlistedOf(config, rules, (id) => !listed.has(id))
  if (unlisted.length === 0) return missing
  const [it, its] = unlisted.length === 1 ? ['it has', 'its'] : ['they have', 'their']
  const why = `could not be checked against ${unlisted.join(', ')}, because ${it} not listed ${its} tools`
  return [...missing, warningFinding('names', `${namesOfTools} ${why}. Log in or correct the server, then see toolwire status`)]
}

const namesOfTools = 'the names of tools in the config and the rules'

/** Without a server, no name of a tool can be checked. */
export async function checkNamesOffline(config: GatewayConfig): Promise<DoctorFinding[]> {
  if (unlistedOf(config, await readableRules(config), () => true).length === 0) return []
  const why = 'were not checked, because --offline contacts no server'
  return [warningFinding('names', `${namesOfTools} ${why}. Run toolwire doctor without --offline`)]
}

/** Unreadable rules were reported already. */
async function readableRules(config: GatewayConfig): Promise<Rulebook | undefined> {
  const { configuredRules } = await import('../../guard/policy/configured-rules.js')
  return configuredRules(config, { cases: 'ignore' }).catch(() => undefined)
}

/** The servers without a list whose tools the config or the rules name, or may name. */
function unlistedOf(config: GatewayConfig, rules: Rulebook | undefined, isUnlisted: (id: string) => boolean): readonly string[] {
  const isForAll = Object.keys(config.sets).length > 0 || (rules?.set.rules.length ?? 0) > 0
  const named = openOf(config).filter(({ only = [], tools }) => isForAll || only.length > 0 || Object.keys(tools).length > 0)
  return named.map(({ id }) => id).filter(isUnlisted)
}
