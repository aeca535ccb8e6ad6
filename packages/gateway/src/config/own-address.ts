import { hostname, networkInterfaces } from 'node:os'
import { resolve } from 'node:path'
import { outsideProblem } from './config-error.js'
import { defaultHost, defaultPort } from './gateway-config.js'
import { runsOtherProgram, takesValue } from './servers/program-files.js'
import type { Environment } from './variables.js'

export type OwnAddress = { readonly host: string; readonly port: number; readonly localNames?: readonly string[] }

/** Does an address lead back to the gateway? A call would then loop for ever. */
export function isOwnAddress(url: string, { host, port, localNames = namesOfThisMachine() }: OwnAddress): boolean {
  const { hostname: name, port: written, protocol } = new URL(url)
  const theirPort = Number(written || (protocol === 'https:' ? 443 : 80))
  if (port === 0 || theirPort !== port) return false
  const theirs = plain(name)
  const ours = plain(host)
  if (isAny(ours)) return isThisMachine(theirs) || isAny(theirs) || localNames.some((local) => plain(local) === theirs)
  if (isThisMachine(ours)) return isThisMachine(theirs) || isAny(theirs)
  return theirs === ours
}

/** The purpose of a command that starts this program: to be the gateway with a config, or a bridge to a running gateway. */
type OwnCommand = { readonly verb: 'up'; readonly config: string | undefined } | { readonly verb: 'bridge'; readonly url: string }

/** Parses a host's command that starts this program; undefined for every other command. */
export function ownCommand(command: string, args: readonly string[]): OwnCommand | undefined {
  const words = [command, ...args]
  const at = isLauncher(command) ? programAt(words) : 0
  if (!isOwnProgram(words[at] ?? '')) return undefined
  const [verb = 'up', ...rest] = words.slice(at + 1)
  if (verb === 'bridge') return { verb, url: optionIn(rest, '--gateway') ?? 'http://127.0.0.1:4180' }
  if (verb !== 'up' && verb !== '--stdio') return undefined
  return { verb: 'up', config: optionIn(rest, '--config') ?? rest.find((word) => /\.(json|jsonc|toml)$/i.test(word)) }
}

const isOwnProgram = (word: string): boolean =>
  /(^|[\\/])(toolwire(\.(cmd|exe|js|mjs))?|@toolwire\/gateway(@[^\\/]*)?)$/.test(word)

const isLauncher = (word: string): boolean => runsOtherProgram(word) || /(^|[\\/])(sudo|doas|nice|nohup|mise|volta)$/.test(word)

/** Options that the program may follow at once; the word after any other option may be its value. */
const flags: ReadonlySet<string> = new Set('-- -y --yes -q --quiet -s --silent --offline --bun -i -t -it --rm'.split(' '))

/** The place of the program among the words of a launcher, after its subcommands, variables, options and their values. */
function programAt(words: readonly string[]): number {
  let isSure = true
  for (const [at, word] of words.entries()) {
    const before = words[at - 1] ?? ''
    if (/^-|^\/[a-z]$|=|^(exec|dlx|run|x)$/i.test(word) || takesValue(before) || isLauncher(word)) continue
    // The name of a folder may be the same.
    if (isOwnProgram(word)) return isSure || !/[\\/]toolwire$/.test(word) ? at : -1
    if (!before.startsWith('-') || flags.has(before)) return at
    isSure = false
  }
  return -1
}

type OwnConfig = { readonly source: string | undefined /** The folder in which the command would run. */; readonly cwd: string }

/** Does a command lead back to the gateway with this config and address? */
export function isOwnCommand(command: string, args: readonly string[], own: OwnAddress, { source, cwd }: OwnConfig): boolean {
  const found = ownCommand(command, args)
  if (found?.verb === 'bridge') return URL.canParse(found.url) && isOwnAddress(found.url, own)
  return found !== undefined && (found.config === undefined || resolve(cwd, found.config) === source)
}

/** The host under which a gateway is reached that listens on all addresses. */
export function reachableHost(host: string): string {
  const bare = host.replace(/^\[|\]$/g, '')
  if (bare === '0.0.0.0') return '127.0.0.1'
  return bare === '::' ? '[::1]' : hostInUrl(bare)
}

const optionIn = (words: readonly string[], name: string): string | undefined => {
  const at = words.findIndex((word) => word === name || word.startsWith(`${name}=`))
  return words[at]?.startsWith(`${name}=`) ? words[at].slice(name.length + 1) : at === -1 ? undefined : words[at + 1]
}

const isAny = (name: string): boolean => name === '0.0.0.0' || name === '::'
/** Does a host, as written in a setting or a URL, mean this machine alone? */
export const isLoopback = (host: string): boolean =>
  host === 'localhost' || host === '::1' || host === '[::1]' || /^127\.\d+\.\d+\.\d+$/.test(host)

/** Can nobody on the way read or change what is sent there? */
export const isPrivateConnection = ({ protocol, hostname }: URL): boolean => protocol === 'https:' || isLoopback(hostname)

const isThisMachine = (name: string): boolean => name.endsWith('.localhost') || isLoopback(name)

/** The canonical spelling of a host: IPv4 within IPv6 as IPv4, no brackets, no dot at the end. */
function plain(name: string): string {
  const bare = name
    .toLowerCase()
    .replace(/^\[|\]$/g, '')
    .replace(/\.$/, '')
  if (!bare.includes(':')) return bare
  const spelled = URL.canParse(`http://[${bare}]`) ? new URL(`http://[${bare}]`).hostname.slice(1, -1) : bare
  const { 1: high, 2: low } = /^::ffff:([0-9a-f]{1,4}):([0-9a-f]{1,4})$/.exec(spelled) ?? []
  if (high === undefined || low === undefined) return spelled
  const bits = (Number.parseInt(high, 16) << 16) | Number.parseInt(low, 16)
  return [24, 16, 8, 0].map((shift) => (bits >>> shift) & 255).join('.')
}

function namesOfThisMachine(): string[] {
  const addresses = Object.values(networkInterfaces()).flatMap((list) => (list ?? []).map(({ address }) => address))
  return [hostname(), ...addresses]
}

/** The address at which other replicas reach this one: `TOOLWIRE_REPLICA_ADDRESS`, or the address that it listens at. */
export function replicaAddress(host: string, port: number, env: Environment): string {
  const { TOOLWIRE_REPLICA_ADDRESS: given } = env
  if (given === undefined || given === '') return `http://${hostInUrl(addressOf(host))}:${port}`
  const url = URL.canParse(given) ? new URL(given) : undefined
  if (url?.protocol === 'http:' && url.pathname === '/') return url.origin
  const bare = `http://${hostInUrl(given)}:${port}`
  if (url === undefined && URL.canParse(bare)) return bare
  throw outsideProblem(
    `TOOLWIRE_REPLICA_ADDRESS is ${given}, which other replicas cannot reach. Write the address of this one as http://10.0.0.7:${port}`,
  )
}

/** Throws for an address that cannot be used, before the port is known. */
export const checkReplicaAddress = (env: Environment): void => void replicaAddress(defaultHost, defaultPort, env)

/** An address of this machine if the gateway listens on all addresses, otherwise its host. */
function addressOf(host: string): string {
  if (host !== '0.0.0.0' && host !== '::') return host
  const all = Object.values(networkInterfaces()).flatMap((list) => list ?? [])
  const outside = all.filter(({ internal }) => !internal)
  return (outside.find(({ family }) => family === 'IPv4') ?? outside[0])?.address ?? '127.0.0.1'
}

/** A host as URLs spell it: IPv6 in brackets. */
export const hostInUrl = (host: string): string => (host.includes(':') && !host.startsWith('[') ? `[${host}]` : host)

/** Ports above 1023 that fetch refuses for every address, in browsers and in Node: https://fetch.spec.whatwg.org/#port-blocking */
export const refusedPorts: ReadonlySet<number> = new Set([
  1719, 1720, 1723, 2049, 3659, 4045, 4190, 5060, 5061, 6000, 6566, 6665, 6666, 6667, 6668, 6669, 6679, 6697, 10080,
])

type Ports = { readonly port: number; readonly console: { readonly port?: number } | false }

export function refusedPortWarnings({ port, console }: Ports): string[] {
  const used = [port, ...(console && console.port !== undefined ? [console.port] : [])]
  return used
    .filter((one) => refusedPorts.has(one))
    .map((one) => `Browsers, fetch and the toolwire command refuse port ${one}. Choose another port`)
}
