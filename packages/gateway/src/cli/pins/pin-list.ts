import type { JsonObject } from 'toolwire'
import { shellWord } from '../../config/trust/trust-messages.js'
import type { ApiClient } from '../api/api-client.js'
import { usageProblem } from '../command.js'
import { listIn, stringIn, textsIn } from '../json-members.js'
import { nearestNames } from '../target/nearest-names.js'
import type { Terminal } from '../terminal/terminal.js'
import { indentedText, visibleTextLine } from '../terminal/visible-text.js'

export type PinList = Awaited<ReturnType<typeof loadPins>>

/** Accepted definitions, waiting definitions, and the scan's findings on these, grouped by server. */
export async function loadPins(api: ApiClient) {
  const body = await api.request('/pins')
  return { pins: listIn(body, 'accepted'), waiting: listIn(body, 'waiting'), findings: listIn(body, 'findings') }
}

export const pinTool = (pin: JsonObject): string => stringIn(pin, 'tool') ?? '?'
export const pinServer = (pin: JsonObject): string => stringIn(pin, 'server') ?? ''

/** The subject of an acceptance: a definition, from this server. */
export function definitionOf(drift: JsonObject): JsonObject {
  const serverIdentity = stringIn(drift, 'serverIdentity')
  const whose = serverIdentity === undefined ? {} : { serverIdentity }
  return { server: pinServer(drift), tool: pinTool(drift), hash: stringIn(drift, 'hash') ?? '', ...whose }
}

export const serverChangeIn = (drifts: readonly JsonObject[]): string[] =>
  [...new Set(drifts.flatMap((drift) => stringIn(drift, 'serverChange') ?? []))].map(visibleTextLine)

/** Does the identity, as `differenceOf` prints it, match the server? */
export const isNamedBy = (drift: JsonObject, identity: string): boolean =>
  identity.length >= shortIdentity && (stringIn(drift, 'serverIdentity') ?? '').startsWith(identity)

/** The length of identities in audit records. */
const shortIdentity = 19

/** The waiting change of a tool, by the tool's name with or without its server. */
export function waitingPin(name: string, { pins, waiting }: PinList): JsonObject | undefined {
  const found = waiting.filter((drift) => isNamed(drift, name))
  if (found.length > 1)
    throw usageProblem(
      `${found.length} servers have a definition named "${name}". Write ${found.map(fullName).map(shellWord).join(' or ')}`,
    )
  if (found[0] || pins.some((pin) => isNamed(pin, name))) return found[0]
  const like = nearestNames(name, [...pins, ...waiting].map(pinTool))
  throw usageProblem(
    `There is no definition called "${name}" here${like.length > 0 ? `; did you mean ${like.map(visibleTextLine).map(shellWord).join(' or ')}?` : '; toolwire pins shows them'}`,
  )
}

const fullName = (pin: JsonObject): string => `${pinServer(pin)}__${pinTool(pin)}`
const isNamed = (pin: JsonObject, name: string): boolean => pinTool(pin) === name || fullName(pin) === name

/** The differences from the accepted definition; the whole definition if none was accepted before. */
export function differenceOf(drift: JsonObject, { paint }: Terminal): string {
  const isNew = drift.before === undefined || drift.before === null
  const head = `${paint.bold(visibleTextLine(pinTool(drift)))}${pinServer(drift) ? ` of ${visibleTextLine(pinServer(drift))}` : ''} ${isNew ? 'is new' : drift.serverChange ? 'comes from another server' : 'has changed'}`
  const changes = listIn(drift, 'changes').flatMap((change) => {
    const before = stringIn(change, 'before')
    const after = stringIn(change, 'after')
    return [
      paint.bold(visibleTextLine(stringIn(change, 'path') || '/')),
      ...(before === undefined ? [] : [paint.red(`  - ${indentedText(before)}`)]),
      ...(after === undefined ? [] : [paint.green(`  + ${indentedText(after)}`)]),
    ]
  })
  const advice = listIn(drift, 'advice').map((one) => {
    const [excerpt, path] = [stringIn(one, 'excerpt') ?? '', stringIn(one, 'path') || '/']
    const said = `${stringIn(one, 'why') ?? ''} At ${path}${excerpt && `: ${excerpt}`}`
    return one.holds === true ? paint.red(`withheld: ${visibleTextLine(said)}`) : paint.yellow(`noted: ${visibleTextLine(said)}`)
  })
  const server = serverChangeIn([drift]).flatMap((line) => [paint.red(line), `server: ${identityIn(drift)}`])
  return [head, ...server, ...changes, ...advice, `hash: ${stringIn(drift, 'hash') ?? '?'}`].join('\n')
}

const identityIn = (drift: JsonObject): string =>
  visibleTextLine((stringIn(drift, 'serverIdentity') ?? '?').slice(0, shortIdentity))

const mostNamed = 8

/** One line for each finding of the scan: the server, the reason, and the tools. Says whether the tools are withheld. */
export function findingLines(findings: readonly JsonObject[], { paint }: Pick<Terminal, 'paint'>): string[] {
  return findings.map((finding) => {
    const tools = textsIn(finding, 'tools')
    const more = tools.length > mostNamed ? ` and ${tools.length - mostNamed} more` : ''
    const named = tools.slice(0, mostNamed).join(', ')
    const line = visibleTextLine(`${pinServer(finding)}: ${stringIn(finding, 'why') ?? ''} (${named}${more})`)
    return finding.holds === true ? paint.red(`withheld, ${line}`) : paint.yellow(`noted, ${line}`)
  })
}
