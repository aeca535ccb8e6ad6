import type { Client, RemoteTool } from 'toolwire/client'
import { apiOf } from './api/api.js'
import { listIn, objectIn, wordIn } from './json.js'
import { loginsOf } from './login/wanted.js'
import { firstLine, table } from './output/table.js'
import { findingLines, type Pins, pinsOf, toolOf } from './pins/pins.js'
import { type Input, isOn, type Run } from './spec.js'
import { nameOf, placeOf } from './target/place.js'
import { reach } from './target/reach.js'
import { visibleLine } from './terminal/hidden.js'
import type { Terminal } from './terminal/terminal.js'

export const run: Run = async (input, terminal) => {
  const place = placeOf(input.operands[0], input)
  await using client = await reach(place, { input, terminal })
  const tools = await client.listTools({ signal: input.signal })
  const more = isOn(input, 'all') ? await others(client) : undefined
  const [logins, trusted] = place.kind === 'gateway' ? await Promise.all([loginsOf(input), trustedIn(input)]) : [[], undefined]
  const isTrusted = ({ name }: RemoteTool) => (trusted ? trusted.has(name) : isOn(input, 'trust'))
  const keptBack = place.kind === 'gateway' ? await keptBackIn(input) : undefined
  const heldBack = place.kind === 'gateway' ? await heldBackServers(input) : []
  if (terminal.json)
    return void terminal.printJson({
      ...about(client),
      tools: tools.map(({ definition }) => definition),
      ...more,
      ...(logins.length > 0 && { logins }),
      ...(keptBack && { keptBack: keptBack.waiting.map(toolOf) }),
      ...(heldBack.length > 0 && { heldBackServers: heldBack }),
    })
  if (tools.length === 0) terminal.say(`${visibleLine(nameOf(place))} offers no tools`)
  else {
    const { red } = terminal.paint
    const rows = tools.map((tool) => row(tool, isTrusted(tool)))
    const tint = { column: 2, of: (at: number) => (isSaidToDestroy(tools[at]) ? red : undefined) }
    terminal.print(table(['TOOL', 'ARGUMENTS', 'CLAIMS', 'ABOUT'], rows, terminal, tint))
  }
  if (more) showOthers(more, terminal)
  if (keptBack) sayKeptBack(keptBack, terminal)
  for (const { why } of heldBack) terminal.say(terminal.paint.yellow(visibleLine(why)))
  for (const { loggedIn, ...one } of logins)
    if (loggedIn !== true) terminal.say(`${wordIn(one, 'server')} needs a login: toolwire login ${wordIn(one, 'server')}`)
  return undefined
}

/** What nobody is offered yet, for those who may know of it. */
async function keptBackIn(input: Input): Promise<Pins | undefined> {
  const pins = await pinsOf(apiOf(input)).catch(() => undefined) // tools are for everybody, this is for who may manage the gateway
  return pins && pins.waiting.length > 0 ? pins : undefined
}

function sayKeptBack({ waiting, findings }: Pins, terminal: Terminal): void {
  const words = waiting.length === 1 ? '1 more is' : `${waiting.length} more are`
  terminal.say(`${words} kept back until somebody accepts the definition: toolwire pins`)
  const held = findings.filter(({ holds }) => holds === true)
  for (const line of findingLines(held, terminal)) terminal.say(`  ${line}`)
}

/** Servers whose tools are offered to nobody, and why. Only those who may manage the gateway hear of them. */
async function heldBackServers(input: Input): Promise<readonly { readonly server: string; readonly why: string }[]> {
  const servers = await apiOf(input)
    .ask('/servers')
    .catch(() => ({}))
  return listIn(servers, 'servers').flatMap((one) => {
    const why = wordIn(one, 'heldBack')
    return why === undefined ? [] : [{ server: wordIn(one, 'id') ?? '?', why }]
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
async function trustedIn(input: Input): Promise<ReadonlySet<string>> {
  try {
    const tools = listIn(await apiOf(input).ask('/tools'), 'tools')
    const trusted = tools.filter((tool) => !Object.values(objectIn(tool, 'hintBasis')).includes('claimed'))
    return new Set(trusted.flatMap((tool) => wordIn(tool, 'name') ?? []))
  } catch {
    return new Set() // whoever may not know takes all of it for claims
  }
}

const isSaidToDestroy = (tool: RemoteTool | undefined): boolean =>
  tool?.claims.destructive === true && tool.claims.readOnly !== true

const row = (tool: RemoteTool, trusted: boolean): string[] => [
  tool.name,
  argumentsOf(tool),
  claimsOf(tool, trusted),
  firstLine(tool.description ?? tool.displayName),
]

function argumentsOf({ inputSchema: { properties, required } }: RemoteTool): string {
  const needed = Array.isArray(required) ? required : []
  return Object.keys(properties ?? {})
    .map((name) => (needed.includes(name) ? name : `[${name}]`))
    .join(' ')
}

/** What the server says, not what is so. */
export function claimsOf({ claims: { readOnly, destructive, idempotent } }: RemoteTool, trusted: boolean): string {
  const changes = [destructive === false ? 'adds' : destructive && 'destroys', idempotent && 'repeatable']
  const words = (readOnly ? ['reads'] : changes).filter(Boolean).join(', ')
  if (words === '') return '-'
  return trusted ? words : `${words} (unverified)`
}

function showOthers({ resources, resourceTemplates, prompts }: Others, terminal: Terminal): void {
  const lines = [
    ...resources.map(({ uri, title, name }) => ['resource', uri, title ?? name]),
    ...resourceTemplates.map(({ uriTemplate, name }) => ['template', uriTemplate, name]),
    ...prompts.map(({ name, title, description }) => ['prompt', name, firstLine(title ?? description)]),
  ]
  if (lines.length > 0) terminal.print(`\n${table(['KIND', 'NAME', 'ABOUT'], lines, terminal)}`)
}
