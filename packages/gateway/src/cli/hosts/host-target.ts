// Determines what a host connects to: a config that its own process serves or joins, or the address of a gateway elsewhere.
import { existsSync } from 'node:fs'
import { resolve } from 'node:path'
import { findConfig } from '../../config/find-config.js'
import { type ConfigPlaces, configPlaces, type Host, type HostFile, type HostTarget, type Machine } from '../../config/index.js'
import { defaultConfigPath } from '../../config/paths.js'
import { isUnnamedConfig } from '../../config/trust/trust.js'
import { apiClientOf } from '../api/api-client.js'
import { localTokenFor } from '../api/local-token.js'
import { CommandError, type CommandInput, isOptionOn, optionText, unreachableError, usageProblem } from '../command.js'
import { stringIn } from '../json-members.js'
import { gatewayUrl } from '../target/target.js'
import { ownProgram } from './own-program.js'

export type WantedGateway =
  | { readonly kind: 'config'; readonly config: string; readonly flags: readonly string[]; readonly isFound: boolean }
  | { readonly kind: 'address'; readonly url: string }

const answerMs = 10_000

/** The named gateway, the running one, or the one of the config here; undefined if there is none. */
export async function findWantedGateway(file: HostFile, input: CommandInput, machine: Machine) {
  const address: WantedGateway = { kind: 'address', url: gatewayUrl(input) }
  const said = optionText(input, 'config')
  const isAddress = optionText(input, 'set') !== undefined || isOptionOn(input, 'http')
  if (said !== undefined && (isAddress || optionText(input, 'gateway') !== undefined))
    throw usageProblem('--gateway, --http and --set are for a gateway at an address, which has its own config. Omit --config')
  if (isAddress) return address
  if (said === undefined) {
    const running = await runningAt(gatewayUrl(input), input)
    if (running?.config === file.path) throw notItsOwn(file)
    if (running?.config !== undefined) return configTarget({ ...running, path: running.config }, input, machine)
    if (running) return address
    if (optionText(input, 'gateway') !== undefined || input.env.TOOLWIRE_URL) return address
  }
  const found = await findConfig(said, machine)
  if (said !== undefined && found === file.path) throw notItsOwn(file)
  if (found === undefined || found === file.path) return undefined
  if (!existsSync(found))
    throw usageProblem(`There is no config ${found}. Name an existing one with --config, or create it with toolwire add`)
  const isFound = isUnnamedConfig({ path: said, env: input.env }) && found !== defaultConfigPath(machine)
  return configTarget({ path: resolve(found), isFound }, input, machine)
}

/** The gateway would find itself among its servers. */
const notItsOwn = ({ path, host }: HostFile): CommandError =>
  usageProblem(
    `The gateway would become one of its own servers, because ${path} is the file of ${host.title}. Create a config with toolwire import, start the gateway with it, and connect again`,
  )

const slowGateway = (url: string, cause: unknown): CommandError =>
  unreachableError(
    `The gateway at ${url} does not answer within ${answerMs / 1_000} seconds. Try again, or name its config with --config`,
    cause,
  )

type Running = { readonly config: string | undefined; readonly isFound: boolean; readonly places: Partial<ConfigPlaces> }

/** The gateway of this account that answers at the URL. Its file names its places, because another account may answer in its stead. */
async function runningAt(url: string, input: CommandInput): Promise<Running | undefined> {
  const written = localTokenFor(url, input.env)?.places
  if (!written) return undefined
  const signal = AbortSignal.timeout(answerMs)
  const status = await apiClientOf(input)
    .request('/status', { signal })
    .catch((thrown: unknown) => {
      // A slow gateway runs, so no other one may be written into the host's file in its place.
      if (signal.aborted) throw slowGateway(url, thrown)
      if (thrown instanceof CommandError) return undefined
      throw thrown
    })
  if (!status) return undefined
  const [config, dataDir, policy] = ['source', 'dataDir', 'policy'].map((name) => stringIn(written, name))
  const { port, found } = written
  if (config !== undefined && !existsSync(config)) return undefined // the gateway is in a container
  return {
    config,
    isFound: found === true,
    places: { ...(dataDir && { dataDir }), ...(policy && { policy }), ...(typeof port === 'number' && { port }) },
  }
}

/** Passes the gateway's settings from outside the config to the host's process too, because it may have to become the gateway. */
export async function configTarget(
  { path: config, text, isFound = false, places }: { path: string; text?: string } & Partial<Running>,
  input: Pick<CommandInput, 'env' | 'cwd' | 'options'>,
  machine: Machine,
): Promise<WantedGateway> {
  const at = { path: config, asFound: isFound, ...(text !== undefined && { text }) }
  const { env, cwd } = input
  const flags = { dataDir: optionText(input, 'dataDir') }
  const now = { ...(await configPlaces({ ...at, env, cwd, flags })), ...places }
  const { HOME, USERPROFILE, LOCALAPPDATA } = env
  const bare = await configPlaces({ ...at, cwd: machine.home, env: { HOME, USERPROFILE, LOCALAPPDATA } }).catch(() => undefined)
  const given = (['dataDir', 'policy', 'port'] as const).flatMap((name) => {
    const value = now[name]
    return value === undefined || value === 0 || value === bare?.[name] ? [] : [flagNames[name], String(value)]
  })
  return { kind: 'config', config, flags: [...given, ...(isFound ? ['--as-found'] : [])], isFound }
}

const flagNames = { dataDir: '--data-dir', policy: '--policy', port: '--port' } as const

/** The target in a form that the host supports. */
export function targetFor(host: Host, wanted: WantedGateway, input: CommandInput, machine: Machine): HostTarget {
  const { command, program } = ownProgram(machine)
  if (wanted.kind === 'config') return { command, args: [program, 'up', '--stdio', wanted.config, ...wanted.flags] }
  const set = optionText(input, 'set')
  const url = `${wanted.url}/mcp${set === undefined ? '' : `/${encodeURIComponent(set)}`}`
  if (!isOptionOn(input, 'stdio') && host.remote(url)) return { url }
  return { command, args: [program, 'bridge', '--gateway', wanted.url, ...(set === undefined ? [] : ['--set', set])] }
}
