import type { JsonObject } from 'toolwire'
import type { Client, RemoteTool } from 'toolwire/client'
import { effectiveHints } from 'toolwire/guard'
import { apiClientOf } from './api/api-client.js'
import { type CommandInput, isOptionOn, type RunCommand } from './command.js'
import { listIn, objectIn, stringIn } from './json-members.js'
import { firstLineOf, table } from './output/table.js'
import { findingLines, loadPins, type PinList, pinTool } from './pins/pin-list.js'
import { connectTarget } from './target/connect-target.js'
import { commandTargetOf, targetName } from './target/target.js'
import type { Terminal } from './terminal/terminal.js'
import { visibleTextLine } from './terminal/visible-text.js'

export const run: RunCommand = async (input, terminal) => {
  const place = commandTargetOf(input.operands[0], input)
  await using client = await connectTarget(place, { input, terminal })
  const tools = await client.listTools({ signal: input.signal })
  const more = isOptionOn(input, 'all') ? await listOthers(client) : undefined
  const { logins, trusted, keptBack, heldBack } = place.kind === 'gateway' ? await loadManagedFacts(input) : noFacts
  const isTrusted = ({ name }: RemoteTool) => (trusted ? trusted.has(name) : isOptionOn(input, 'trust'))
  if (terminal.json)
    return void terminal.printJson({
      ...serverInfo(client),
      tools: tools.map(({ definition }) => definition),
      ...more,
      ...(logins.length > 0 && { logins }),
      ...(keptBack && { keptBack: keptBack.waiting.map(pinTool) }),
      ...(heldBack.length > 0 && { heldBackServers: heldBack }),
    })
  if (tools.length === 0) terminal.say(`${visibleTextLine(targetName(place))} offers no tools`)
  else {
    const { red } = terminal.paint
    const rows = tools.map((tool) => [tool.name, argumentsOf(tool), claimsText(tool, isTrusted(tool)), toolSummary(tool)])
    const tint = { column: 2, of: (at: number) => (claimsToDestroy(tools[at]) ? red : undefined) }
    terminal.print(table(['TOOL', 'ARGUMENTS', 'CLAIMS', 'ABOUT'], rows, terminal, tint))
  }
  if (more) showOthers(more, terminal)
  if (keptBack) printWithheld(keptBack, terminal)
  for (const { why } of heldBack) terminal.say(terminal.paint.yellow(visibleTextLine(why)))
  for (const { loggedIn, ...one } of logins)
    if (loggedIn !== true) terminal.say(`${stringIn(one, 'server')} needs a login: toolwire login ${stringIn(one, 'server')}`)
}

type ManagedFacts = {
  readonly logins: readonly JsonObject[]
  /** The tools whose hints the operator trusts or has set. */
  readonly trusted: ReadonlySet<string> | undefined
  /** Definitions that are withheld until they are accepted. */
  readonly keptBack: PinList | undefined
  /** Servers whose tools are all withheld, and the reason. */
  readonly heldBack: readonly { readonly server: string; readonly why: string }[]
}

const noFacts: ManagedFacts = { logins: [], trusted: undefined, keptBack: undefined, heldBack: [] }

/** Facts that only callers who may manage the gateway can read. Without them, all hints count as claims. */
async function loadManagedFacts(input: CommandInput): Promise<ManagedFacts> {
  const api = apiClientOf(input)
  const request = (path: string) => api.request(path).catch(() => ({}))
  const [logins, tools, servers] = await Promise.all([request('/logins'), request('/tools'), request('/servers')])
  const pins = await loadPins(api).catch(() => undefined)
  const trusted = listIn(tools, 'tools').filter((tool) => !Object.values(objectIn(tool, 'hintBasis')).includes('claimed'))
  return {
    logins: listIn(logins, 'logins'),
    trusted: new Set(trusted.flatMap((tool) => stringIn(tool, 'name') ?? [])),
    keptBack: pins && pins.waiting.length > 0 ? pins : undefined,
    heldBack: listIn(servers, 'servers').flatMap((one) => {
      const why = stringIn(one, 'heldBack')
      return why === undefined ? [] : [{ server: stringIn(one, 'id') ?? '?', why }]
    }),
  }
}

function printWithheld({ waiting, findings }: PinList, terminal: Terminal): void {
  const words = waiting.length === 1 ? '1 more is' : `${waiting.length} more are`
  terminal.say(`${words} withheld until the definition is accepted: toolwire pins`)
  const held = findings.filter(({ holds }) => holds === true)
  for (const line of findingLines(held, terminal)) terminal.say(`  ${line}`)
}

type Others = Awaited<ReturnType<typeof listOthers>>

async function listOthers(client: Client) {
  const { capabilities } = client.server
  const resources = capabilities.resources ? await client.listResources() : []
  const resourceTemplates = capabilities.resources ? await client.listResourceTemplates() : []
  const prompts = capabilities.prompts ? await client.listPrompts() : []
  return { resources, resourceTemplates, prompts }
}

const serverInfo = ({ server: { name, version, revision } }: Client) => ({ server: { name, version, revision } })

const claimsToDestroy = (tool: RemoteTool | undefined): boolean =>
  tool?.claims.destructive === true && effectiveHints(tool.claims).destructive

const toolSummary = ({ description, displayName }: RemoteTool): string => firstLineOf(description ?? displayName)

function argumentsOf({ inputSchema: { properties, required } }: RemoteTool): string {
  const needed = Array.isArray(required) ? required : []
  return Object.keys(properties ?? {})
    .map((name) => (needed.includes(name) ? name : `[${name}]`))
    .join(' ')
}

/** The server's claims in the words of the console, marked as unverified unless the tool is trusted. */
export function claimsText({ claims }: Pick<RemoteTool, 'claims'>, trusted: boolean): string {
  const { readOnly, destructive, idempotent } = claims
  const isSaid = readOnly !== undefined || destructive !== undefined
  const effect = effectiveHints(claims).readOnly ? 'reads' : destructive ? 'destructive' : isSaid ? 'writes' : 'not said'
  const words = idempotent && effect !== 'reads' ? `${effect}, repeatable` : effect
  return trusted || !(isSaid || idempotent) ? words : `${words} (unverified)`
}

function showOthers({ resources, resourceTemplates, prompts }: Others, terminal: Terminal): void {
  const lines = [
    ...resources.map(({ uri, title, name }) => ['resource', uri, title ?? name]),
    ...resourceTemplates.map(({ uriTemplate, name }) => ['template', uriTemplate, name]),
    ...prompts.map(({ name, title, description }) => ['prompt', name, firstLineOf(title ?? description)]),
  ]
  if (lines.length > 0) terminal.print(`\n${table(['KIND', 'NAME', 'ABOUT'], lines, terminal)}`)
}
