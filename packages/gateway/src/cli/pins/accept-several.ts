import type { JsonObject } from 'toolwire'
import { type ApiClient, apiClientOf } from '../api/api-client.js'
import { type CommandContext, exitCodes, isOptionOn, optionText, usageProblem } from '../command.js'
import { isConfirmed } from '../forms/prompts.js'
import { listIn, stringIn } from '../json-members.js'
import { countOf } from '../output/count.js'
import { nearestNames } from '../target/nearest-names.js'
import type { Terminal } from '../terminal/terminal.js'
import { visibleTextLine } from '../terminal/visible-text.js'
import { definitionOf, findingLines, loadPins, type PinList, pinServer, pinTool, serverChangeIn } from './pin-list.js'

/** Half of what the API takes in one request, whose body is limited as well. */
const mostAtOnce = 500

/** Accepts the waiting definitions of a server, or of all, as shown. A definition that changes in the meantime is not accepted. */
export async function acceptSeveral(
  server: string | undefined,
  { input, terminal }: CommandContext,
): Promise<number | undefined> {
  for (const name of ['hash', 'identity'])
    if (optionText(input, name) !== undefined)
      throw usageProblem(`--${name} belongs to one definition. Name it: toolwire pins accept <name> --${name} <${name}>`)
  const api = apiClientOf(input)
  const pins = await loadPins(api)
  if (server !== undefined) await mustBeThere(server, api)
  const chosen = pins.waiting.filter((drift) => server === undefined || pinServer(drift) === server)
  if (chosen.length === 0) {
    if (terminal.json) terminal.printJson({ accepted: [], stale: [] })
    else terminal.say(`Nothing${server === undefined ? '' : ` of ${visibleTextLine(server)}`} waits to be accepted`)
    return undefined
  }
  const asks = !isOptionOn(input, 'yes')
  if (asks || !terminal.json) process.stderr.write(`${summaryOf(chosen, pins, terminal)}\n`)
  const words = countOf(chosen.length, 'definition')
  if (asks) {
    if (!terminal.interactive)
      throw usageProblem(
        `Nothing was accepted, because no terminal is available to confirm ${words}. Review them with toolwire pins diff <name>, then add --yes`,
      )
    if (!(await isConfirmed(`Accept ${words}?`, input.signal))) return exitCodes.refused
  }
  return accept(chosen, api, terminal)
}

async function accept(chosen: readonly JsonObject[], api: ApiClient, terminal: Terminal): Promise<number | undefined> {
  const accepted: JsonObject[] = []
  const stale: JsonObject[] = []
  for (let at = 0; at < chosen.length; at += mostAtOnce) {
    const definitions = chosen.slice(at, at + mostAtOnce).map(definitionOf)
    const body = await api.request('/pins/accept-many', { method: 'POST', body: { definitions } })
    accepted.push(...listIn(body, 'accepted'))
    stale.push(...listIn(body, 'stale'))
  }
  if (terminal.json) terminal.printJson({ accepted, stale })
  else terminal.print(`Accepted ${accepted.length} of ${chosen.length}`)
  if (stale.length === 0) return undefined
  const tools = stale.map(pinTool).join(', ')
  terminal.fail(`${tools} was not accepted, because it has changed or was decided elsewhere. See toolwire pins`)
  return exitCodes.failed
}

async function mustBeThere(server: string, api: ApiClient): Promise<void> {
  const names = listIn(await api.request('/servers'), 'servers').map((one) => stringIn(one, 'id') ?? '')
  if (names.includes(server)) return
  const like = nearestNames(server, names)
  const hint = like.length > 0 ? `did you mean ${like.join(' or ')}?` : 'toolwire status shows them'
  throw usageProblem(`There is no server "${server}" here; ${hint}`)
}

/** For each server: new and changed tools, and the findings of the scan. */
function summaryOf(chosen: readonly JsonObject[], { findings }: PinList, { paint }: Terminal): string {
  const named = (what: string, drifts: readonly JsonObject[]) =>
    drifts.length > 0 ? [`${what}: ${drifts.map(pinTool).map(visibleTextLine).join(', ')}`] : []
  const lines = [...new Set(chosen.map(pinServer))].flatMap((server) => {
    const isOwn = (one: JsonObject) => pinServer(one) === server
    const own = chosen.filter(isOwn)
    const [changed, fresh] = [own.filter(({ before }) => before), own.filter(({ before }) => !before)]
    const names = [...named('new', fresh), ...named('changed', changed)]
    const about = [...serverChangeIn(own).map(paint.red), ...names, ...findingLines(findings.filter(isOwn), { paint })]
    return [paint.bold(visibleTextLine(server)), ...about.map((line) => `  ${line}`)]
  })
  return lines.join('\n')
}
