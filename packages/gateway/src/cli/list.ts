import type { Client, RemoteTool } from 'toolwire/client'
import { effectiveHints } from 'toolwire/guard'
import { apiClientOf } from './api/api-client.js'
import { type CommandInput, isOptionOn, type RunCommand } from './command.js'
import { listIn, objectIn, stringIn } from './json-members.js'
import { listLogins } from './login/list-logins.js'
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
  const more = isOptionOn(input, 'all') ? await others(client) : undefined
  const [logins, trusted] = place.kind === 'gateway' ? await Promise.all([listLogins(input), trustedIn(input)]) : [[], undefined]
  const isTrusted = ({ name }: RemoteTool) => (trusted ? trusted.has(name) : isOptionOn(input, 'trust'))
  const keptBack = place.kind === 'gateway' ? await keptBackIn(input) : undefined
  const heldBack = place.kind === 'gateway' ? await heldBackServers(input) : []
  if (terminal.json)
    return void terminal.printJson({
      ...about(client),
      tools: tools.map(({ definition }) => definition),
      ...more,
      ...(logins.length > 0 && { logins }),
      ...(keptBack && { keptBack: keptBack.waiting.map(pinTool) }),
      ...(heldBack.length > 0 && { heldBackServers: heldBack }),
    })
  if (tools.length === 0) terminal.say(`${visibleTextLine(targetName(place))} offers no tools`)
  else {
    const { red } = terminal.paint
    const rows = tools.map((tool) => row(tool, isTrusted(tool)))
    const tint = { column: 2, of: (at: number) => (isSaidToDestroy(tools[at]) ? red : undefined) }
    terminal.print(table(['TOOL', 'ARGUMENTS', 'CLAIMS', 'ABOUT'], rows, terminal, tint))
  }
  if (more) showOthers(more, terminal)
  if (keptBack) sayKeptBack(keptBack, terminal)
  for (const { why } of heldBack) terminal.say(terminal.paint.yellow(visibleTextLine(why)))
  for (const { loggedIn, ...one } of logins)
    if (loggedIn !== true) terminal.say(`${stringIn(one, 'server')} needs a login: toolwire login ${stringIn(one, 'server')}`)
}

/** What nobody is offered yet, for those who may know of it. */
async function keptBackIn(input: CommandInput): Promise<PinList | undefined> {
  const pins = await loadPins(apiClientOf(input)).catch(() => undefined) // tools are for everybody, this is for who may manage the gateway
  return pins && pins.waiting.length > 0 ? pins : undefined
}

function sayKeptBack({ waiting, findings }: PinList, terminal: Terminal): void {
  const words = waiting.length === 1 ? '1 more is' : `${waiting.length} more are`
  terminal.say(`${words} withheld until the definition is accepted: toolwire pins`)
  const held = findings.filter(({ holds }) => holds === true)
  for (const line of findingLines(held, terminal)) terminal.say(`  ${line}`)
}

/** Servers whose tools are offered to nobody, and why. Only those who may manage the gateway hear of them. */
async function heldBackServers(input: CommandInput): Promise<readonly { readonly server: string; readonly why: string }[]> {
  const servers = await apiClientOf(input)
    .request('/servers')
    .catch(() => ({}))
  return listIn(servers, 'servers').flatMap((one) => {
    const why = stringIn(one, 'heldBack')
    return why === undefined ? [] : [{ server: stringIn(one, 'id') ?? '?', why }]
  })
}

type Others = Awaited<ReturnType<typeof others>>

async function others(client: Client) {
  const { capabilities } = client.server
  const resources = capabilities.resources ? await client.listResources() : []
  const resourceTemplates = capabilities.resources ? await client.listResourceTemplates() : []
  const prompts = capabilities.prompts ? await client.listPrompts() : []
  return { resources, resourceTemplates, prompts }
}

const about = ({ server: { name, version, revision } }: Client) => ({ server: { name, version, revision } })

/** The tools of servers that the operator trusts, and those that the operator says something about; for those who may manage the gateway. */
async function trustedIn(input: CommandInput): Promise<ReadonlySet<string>> {
  try {
    const tools = listIn(await apiClientOf(input).request('/tools'), 'tools')
    const trusted = tools.filter((tool) => !Object.values(objectIn(tool, 'hintBasis')).includes('claimed'))
    return new Set(trusted.flatMap((tool) => stringIn(tool, 'name') ?? []))
  } catch {
    return new Set() // without permission, all hints count as claims
  }
}

const isSaidToDestroy = (tool: RemoteTool | undefined): boolean =>
  tool?.claims.destructive === true && effectiveHints(tool.claims).destructive

const row = (tool: RemoteTool, trusted: boolean): string[] => [
  tool.name,
  argumentsOf(tool),
  claimsText(tool, trusted),
  firstLineOf(tool.description ?? tool.displayName),
]

function argumentsOf({ inputSchema: { properties, required } }: RemoteTool): string {
  const needed = Array.isArray(required) ? required : []
  return Object.keys(properties ?? {})
    .map((name) => (needed.includes(name) ? name : `[${name}]`))
    .join(' ')
}

/** What the server says, not what is so. */
export function claimsText({ claims }: RemoteTool, trusted: boolean): string {
  const { destructive, idempotent } = claims
  const changes = [destructive === false ? 'adds' : destructive && 'destroys', idempotent && 'repeatable']
  const words = (effectiveHints(claims).readOnly ? ['reads'] : changes).filter(Boolean).join(', ')
  if (words === '') return '-'
  return trusted ? words : `${words} (unverified)`
}

function showOthers({ resources, resourceTemplates, prompts }: Others, terminal: Terminal): void {
  const lines = [
    ...resources.map(({ uri, title, name }) => ['resource', uri, title ?? name]),
    ...resourceTemplates.map(({ uriTemplate, name }) => ['template', uriTemplate, name]),
    ...prompts.map(({ name, title, description }) => ['prompt', name, firstLineOf(title ?? description)]),
  ]
  if (lines.length > 0) terminal.print(`\n${table(['KIND', 'NAME', 'ABOUT'], lines, terminal)}`)
}
