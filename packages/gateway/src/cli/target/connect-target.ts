import { type Client, type ConnectOptions, connect, type RemoteTool } from 'toolwire/client'
import type { Answering } from 'toolwire/relay'
import { packageVersion } from '../../lifecycle/version.js'
import { type CommandContext, isOptionOn, optionText, refusedError, usageProblem } from '../command.js'
import { visibleText, visibleTextLine } from '../terminal/visible-text.js'
import { nearestNames } from './nearest-names.js'
import { type CommandTarget, headersIn, noGateway, targetName } from './target.js'

/** The person sees everything that comes, made visible; the gateway has its own guard. */
const unguarded: ConnectOptions['guard'] = { audit: false, rateLimit: false, sanitize: false }

type Connecting = CommandContext & { readonly answers?: Answering | undefined }

/** Opens a connection to what the command is about. */
export async function connectTarget(place: CommandTarget, { input, terminal, answers }: Connecting): Promise<Client> {
  const revision = optionText(input, 'revision')
  const key = place.kind === 'gateway' ? input.env.TOOLWIRE_API_KEY : undefined
  const options: ConnectOptions = {
    name: targetName(place),
    clientInfo: { name: 'toolwire', version: packageVersion },
    signal: input.signal,
    headers: headersIn(input),
    // The gateway is the operator's own, and has decided what is to be believed.
    trusted: place.kind === 'gateway' || isOptionOn(input, 'trust'),
    guard: unguarded,
    onWarning: (text) => terminal.say(terminal.paint.dim(visibleText(text))),
    ...(key && { auth: { token: key } }),
    ...(answers && { answers }),
    ...(revision !== undefined && { revision }),
  }
  return connect(targetOf(place), options).catch((thrown: unknown) => {
    throw place.kind === 'gateway' ? ofGateway(thrown, place.url) : thrown
  })
}

function targetOf(place: CommandTarget) {
  if (place.kind === 'command') return { command: place.command, args: [...place.args] }
  return place.kind === 'gateway' ? `${place.url}/mcp` : place.url
}

function ofGateway(thrown: unknown, url: string): unknown {
  const code = thrown instanceof Error && 'code' in thrown ? thrown.code : undefined
  if (code === 'turned_away')
    return refusedError(`The gateway at ${url} requires a key. Set TOOLWIRE_API_KEY to one from toolwire keys create`)
  return code === 'disconnected' ? noGateway(url, thrown) : thrown
}

/** The tool of this name, or a sentence with the names that are like it. */
export async function findTool(client: Client, name: string): Promise<RemoteTool> {
  const tools = await client.listTools()
  const tool = tools.find((one) => one.name === name)
  if (tool) return tool
  const names = tools.map((one) => one.name)
  // Behind a gateway people leave out the server.
  const ends = names.filter((one) => one.endsWith(`__${name}`))
  const like = ends.length > 0 ? ends : nearestNames(name, names)
  const hint = like.length > 0 ? `did you mean ${like.map(visibleTextLine).join(' or ')}?` : 'see toolwire list'
  throw usageProblem(`There is no tool "${name}"; ${hint}`)
}
