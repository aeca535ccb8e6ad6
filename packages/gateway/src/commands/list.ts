import type { Client, RemoteTool } from 'toolwire/client'
import { apiOf } from './api/api.js'
import { listIn, wordIn } from './json.js'
import { loginsOf } from './login/wanted.js'
import { firstLine, table } from './output/table.js'
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
  const logins = place.kind === 'gateway' ? await loginsOf(input) : []
  const kept = place.kind === 'gateway' ? await keptBack(input) : []
  if (terminal.json)
    return void terminal.printJson({
      ...about(client),
      tools: tools.map(({ definition }) => definition),
      ...more,
      ...(logins.length > 0 && { logins }),
      ...(kept.length > 0 && { keptBack: kept }),
    })
  if (tools.length === 0) terminal.say(`${visibleLine(nameOf(place))} offers no tools`)
  else terminal.print(table(['TOOL', 'ARGUMENTS', 'CLAIMS', 'ABOUT'], tools.map(row), terminal))
  if (more) showOthers(more, terminal)
  for (const { why } of kept) terminal.say(terminal.paint.yellow(visibleLine(why)))
  for (const { loggedIn, ...one } of logins)
    if (loggedIn !== true) terminal.say(`${wordIn(one, 'server')} needs a login: toolwire login ${wordIn(one, 'server')}`)
  return undefined
}

/** Servers whose tools are offered to nobody, and why. Only those who may manage the gateway hear of them. */
async function keptBack(input: Input): Promise<readonly { readonly server: string; readonly why: string }[]> {
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

const row = (tool: RemoteTool): string[] => [
  tool.name,
  argumentsOf(tool),
  claimsOf(tool),
  firstLine(tool.description ?? tool.displayName),
]

function argumentsOf({ inputSchema: { properties, required } }: RemoteTool): string {
  const needed = Array.isArray(required) ? required : []
  return Object.keys(properties ?? {})
    .map((name) => (needed.includes(name) ? name : `[${name}]`))
    .join(' ')
}

/** What the server says, not what is so. */
export function claimsOf({ claims: { readOnly, destructive, idempotent } }: RemoteTool): string {
  if (readOnly) return 'reads'
  const words = [destructive === false ? 'adds' : destructive && 'destroys', idempotent && 'repeatable']
  return words.filter(Boolean).join(', ') || '-'
}

function showOthers({ resources, resourceTemplates, prompts }: Others, terminal: Terminal): void {
  const lines = [
    ...resources.map(({ uri, title, name }) => ['resource', uri, title ?? name]),
    ...resourceTemplates.map(({ uriTemplate, name }) => ['template', uriTemplate, name]),
    ...prompts.map(({ name, title, description }) => ['prompt', name, firstLine(title ?? description)]),
  ]
  if (lines.length > 0) terminal.print(`\n${table(['KIND', 'NAME', 'ABOUT'], lines, terminal)}`)
}
