import { gatewayFlag } from '../../approvals/approval-instructions.js'
import { shortReason } from '../../upstreams/short-reason.js'
import { countOf } from '../output/count.js'
import type { Paint } from '../terminal/terminal.js'
import { visibleTextLine } from '../terminal/visible-text.js'

type About = {
  readonly url: string
  readonly config: string | null
  readonly servers: readonly Server[]
  /** Problems, including parts that wait for review. */
  readonly troubles: readonly string[]
  readonly link: string | undefined
  /** The command of this program, as a user types it here. */
  readonly program: string
}

type Server = { readonly id: string; readonly state: string; readonly tools: number; readonly why?: string }

const unavailable: ReadonlySet<string> = new Set(['failing', 'broken', 'needs login'])

export function welcomeText({ url, config, servers, troubles, link, program }: About, { bold, dim, yellow }: Paint): string {
  const elsewhere = gatewayFlag(url)
  const lost = servers.filter((server) => !isThere(server))
  const others = troubles.filter((trouble) => !lost.some(({ id }) => trouble.startsWith(`server ${id}: `)))
  return [
    '',
    `  ${bold('Toolwire')} listens at ${bold(url)}`,
    `  ${config === null ? 'No config was found, so these are examples' : `Config: ${visibleTextLine(config)}`}`,
    `  Servers: ${servers.filter(isThere).map(named).join(', ') || 'none'}`,
    ...lost.map((server) => `  ${yellow(lineOf(server, program))}`),
    ...(lost.length > 0 ? [`  ${dim(`Fix the config; it is reloaded when saved. ${program} doctor has details.`)}`] : []),
    ...others.map((trouble) => yellow(`  Problem: ${visibleTextLine(trouble)}`)),
    ...(link === undefined
      ? []
      : [
          '',
          `  ${bold('Console')}, one sign-in within five minutes; ${program} console${elsewhere} prints a new link:`,
          `  ${link}`,
        ]),
    '',
    `  ${dim(`From a second terminal${program === 'toolwire' ? '' : ` (toolwire in other messages means ${program})`}:`)}`,
    `  ${program} list${elsewhere}${' '.repeat(16)}list its tools`,
    `  ${program} watch${elsewhere}${' '.repeat(15)}approve or deny pending calls`,
    `  ${program} connect <host>${elsewhere}${' '.repeat(6)}connect Claude, Cursor, VS Code …`,
    '',
    `  ${dim('Ctrl-C stops it.')}`,
    '',
  ].join('\n')
}

const isThere = ({ state }: Server): boolean => !unavailable.has(state)

function named({ id, state, tools }: Server): string {
  const about = state === 'ready' ? countOf(tools, 'tool') : state === 'opening' ? 'still starting' : state
  return `${visibleTextLine(id)} (${about})`
}

/** A server that is unavailable, the reason, and the next step. */
function lineOf({ id, state, why = state }: Server, program: string): string {
  if (state === 'needs login') return `! ${visibleTextLine(id)} needs a login: ${program} login ${visibleTextLine(id)}`
  return `! ${visibleTextLine(id)} is not available: ${visibleTextLine(shortReason(why))}`
}
