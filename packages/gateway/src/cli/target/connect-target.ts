import { type CallFailure, type Client, type ConnectOptions, connect, type RemoteTool, TransportError } from 'toolwire/client'
import type { Answering } from 'toolwire/relay'
import { packageVersion } from '../../lifecycle/version.js'
import { questionCapabilities } from '../../upstreams/open-client.js'
import { type CommandContext, isOptionOn, optionText, refusedError, unreachableError, usageProblem } from '../command.js'
import { visibleText, visibleTextLine } from '../terminal/visible-text.js'
import { nearestNames } from './nearest-names.js'
import { type CommandTarget, filledHeadersIn, noGateway, targetName } from './target.js'

/** No guard is needed: the terminal shows hidden characters, and the gateway has its own guard. */
const unguarded: ConnectOptions['guard'] = { audit: false, rateLimit: false, sanitize: false }

/**
 * Declared as a gateway does, because servers hide tools from clients without it. Roots are left out: a server that asks for them
 * while a short command ends would not end for seconds.
 */
const asksOfServer: ConnectOptions['asks'] = { ...questionCapabilities, roots: false }

type Connecting = CommandContext & { readonly answers?: Answering | undefined }

export async function connectTarget(place: CommandTarget, { input, terminal, answers }: Connecting): Promise<Client> {
  const revision = optionText(input, 'revision')
  const key = place.kind === 'gateway' ? input.env.TOOLWIRE_API_KEY : undefined
  const warnings = warningsOf(terminal)
  const options: ConnectOptions = {
    name: targetName(place),
    clientInfo: { name: 'toolwire', version: packageVersion },
    signal: input.signal,
    headers: filledHeadersIn(input),
    // The operator's own gateway has already decided which hints to trust.
    trusted: place.kind === 'gateway' || isOptionOn(input, 'trust'),
    guard: unguarded,
    onWarning: warnings.add,
    ...(key && { auth: { token: key } }),
    ...(answers && { answers }),
    ...(place.kind !== 'gateway' && { asks: asksOfServer }),
    ...(revision !== undefined && { revision }),
  }
  const connected = connect(targetOf(place), options).catch((thrown: unknown) => {
    warnings.show(thrown)
    // An option has a value that cannot be sent.
    if (thrown instanceof TypeError) throw usageProblem(thrown.message)
    throw place.kind === 'gateway' ? ofGateway(thrown, place.url, Boolean(key)) : ofServer(thrown)
  })
  return connected.then((client) => {
    warnings.show()
    return client
  })
}

/** Warnings while a connection opens, each once: a program is started for each revision that is tried, and prints the same again. */
function warningsOf({ say, paint }: Connecting['terminal']) {
  let held: Set<string> | undefined = new Set()
  const print = (text: string) => say(paint.dim(visibleText(text)))
  return {
    add: (text: string): void => void (held ? held.add(text) : print(text)),
    /** The error of a connection that failed shows the printed lines itself. */
    show(failure?: unknown): void {
      const told = failure instanceof Error ? failure.message : ''
      for (const text of held ?? []) if (!told.includes(text.replace(/^.*? is not a message: /s, ''))) print(text)
      held = undefined
    },
  }
}

function ofServer(thrown: unknown): unknown {
  const cause = thrown instanceof Error ? thrown.cause : undefined
  const isLost = cause instanceof TransportError && cause.message.startsWith('No connection to ')
  return isLost ? unreachableError(`${cause.message}. Start the server, or check the address`, thrown) : thrown
}

function targetOf(place: CommandTarget) {
  if (place.kind === 'command') return { command: place.command, args: [...place.args] }
  return place.kind === 'gateway' ? `${place.url}/mcp` : place.url
}

function ofGateway(thrown: unknown, url: string, hasKey: boolean): unknown {
  const { code, status } = thrown instanceof Error ? (thrown as Error & Partial<CallFailure>) : {} // members that it may have
  if (code === 'disconnected') return noGateway(url, thrown)
  if (code !== 'turned_away' || status === undefined) return thrown
  const gateway = `The gateway at ${url}`
  const isRejected = `${gateway} rejects the key in TOOLWIRE_API_KEY. Set another one from toolwire keys create, or unset it`
  const isMissing = `${gateway} requires a key. Set TOOLWIRE_API_KEY to one from toolwire keys create`
  if (status === 401) return refusedError(hasKey ? isRejected : isMissing)
  if (status === 403) return refusedError(`${gateway} refuses this: add the host to allowedHosts, or use a key for this set`)
  return unreachableError(`${gateway} answered with HTTP ${status}. Check the address, and a proxy in front of it`, thrown)
}

/** The tool of this name; the error suggests similar names. */
export async function findTool(client: Client, name: string): Promise<RemoteTool> {
  const tools = await client.listTools()
  const tool = tools.find((one) => one.name === name)
  if (tool) return tool
  const names = tools.map((one) => one.name)
  // Users often omit the server's prefix.
  const ends = names.filter((one) => one.endsWith(`__${name}`))
  const like = ends.length > 0 ? ends : nearestNames(name, names)
  const hint = like.length > 0 ? `did you mean ${like.map(visibleTextLine).join(' or ')}?` : 'see toolwire list'
  throw usageProblem(`There is no tool "${name}"; ${hint}`)
}
