import type { JsonObject } from 'toolwire'
import { shellWord } from '../../config/trust/words.js'
import type { Api } from '../api/api.js'
import { misused } from '../exit-codes.js'
import { listIn, wordIn } from '../json.js'
import { nearest } from '../nearest.js'
import { visible, visibleLine } from '../terminal/hidden.js'
import type { Terminal } from '../terminal/terminal.js'

/** Definitions that were accepted, and those that wait for somebody to accept them. */
export type Pins = {
  readonly pins: readonly JsonObject[]
  readonly waiting: readonly JsonObject[]
  /** What a scan says of those that wait, once for each server. */
  readonly findings: readonly JsonObject[]
}

export async function pinsOf(api: Api): Promise<Pins> {
  const body = await api.ask('/pins')
  return { pins: listIn(body, 'accepted'), waiting: listIn(body, 'waiting'), findings: listIn(body, 'findings') }
}

export const toolOf = (pin: JsonObject): string => wordIn(pin, 'tool') ?? '?'
export const serverOf = (pin: JsonObject): string => wordIn(pin, 'server') ?? ''

/** What is accepted where this is: a definition, of this server. */
export function definitionOf(drift: JsonObject): JsonObject {
  const serverIdentity = wordIn(drift, 'serverIdentity')
  const whose = serverIdentity === undefined ? {} : { serverIdentity }
  return { server: serverOf(drift), tool: toolOf(drift), hash: wordIn(drift, 'hash') ?? '', ...whose }
}

/** What has become of servers, each once. */
export const serverChangeIn = (drifts: readonly JsonObject[]): string[] =>
  [...new Set(drifts.flatMap((drift) => wordIn(drift, 'serverChange') ?? []))].map(visibleLine)

/** Whether this is its server, as `differenceOf` has shown it. */
export const isNamedBy = (drift: JsonObject, identity: string): boolean =>
  identity.length >= shortIdentity && (wordIn(drift, 'serverIdentity') ?? '').startsWith(identity)

/** As records of the audit log show it. */
const shortIdentity = 19

/** The change that waits at a tool, which is named with or without its server. */
export function waitingAt(name: string, { pins, waiting }: Pins): JsonObject | undefined {
  const found = waiting.filter((drift) => isNamed(drift, name))
  if (found.length > 1)
    throw misused(
      `${found.length} servers have a definition called "${name}"; write ${found.map(fullName).map(shellWord).join(' or ')}`,
    )
  if (found[0] || pins.some((pin) => isNamed(pin, name))) return found[0]
  const like = nearest(name, [...pins, ...waiting].map(toolOf))
  throw misused(
    `There is no definition called "${name}" here${like.length > 0 ? `; did you mean ${like.map(visibleLine).map(shellWord).join(' or ')}?` : '; toolwire pins shows them'}`,
  )
}

const fullName = (pin: JsonObject): string => `${serverOf(pin)}__${toolOf(pin)}`
const isNamed = (pin: JsonObject, name: string): boolean => toolOf(pin) === name || fullName(pin) === name

/** Every place that differs; the whole definition where none was accepted before. */
export function differenceOf(drift: JsonObject, { paint }: Terminal): string {
  const isNew = drift.before === undefined || drift.before === null
  const head = `${paint.bold(visibleLine(toolOf(drift)))}${serverOf(drift) ? ` of ${visibleLine(serverOf(drift))}` : ''} ${isNew ? 'is new' : drift.serverChange ? 'comes from another server' : 'has changed'}`
  const changes = listIn(drift, 'changes').flatMap((change) => {
    const before = wordIn(change, 'before')
    const after = wordIn(change, 'after')
    return [
      paint.bold(visibleLine(wordIn(change, 'path') || '/')),
      ...(before === undefined ? [] : [paint.red(`  - ${visible(before)}`)]),
      ...(after === undefined ? [] : [paint.green(`  + ${visible(after)}`)]),
    ]
  })
  const advice = listIn(drift, 'advice').flatMap((one) => {
    const [excerpt, path] = [wordIn(one, 'excerpt') ?? '', wordIn(one, 'path') || '/']
    const said = `${wordIn(one, 'why') ?? ''} At ${path}${excerpt && `: ${excerpt}`}`
    return one.holds === true ? [paint.red(`kept back: ${visibleLine(said)}`)] : [paint.yellow(`noted: ${visibleLine(said)}`)]
  })
  const server = serverChangeIn([drift]).flatMap((line) => [paint.red(line), `server: ${identityIn(drift)}`])
  return [head, ...server, ...changes, ...advice, `hash: ${wordIn(drift, 'hash') ?? '?'}`].join('\n')
}

const identityIn = (drift: JsonObject): string => visibleLine((wordIn(drift, 'serverIdentity') ?? '?').slice(0, shortIdentity))

const mostNamed = 8

/** Why something of a server is kept back, and what else a scan noted of it: a line each, with the tools. */
export function findingLines(findings: readonly JsonObject[], { paint }: Pick<Terminal, 'paint'>): string[] {
  return findings.map((finding) => {
    const tools = textsIn(finding, 'tools')
    const more = tools.length > mostNamed ? ` and ${tools.length - mostNamed} more` : ''
    const line = visibleLine(
      `${serverOf(finding)}: ${wordIn(finding, 'why') ?? ''} (${tools.slice(0, mostNamed).join(', ')}${more})`,
    )
    return finding.holds === true ? paint.red(`kept back, ${line}`) : paint.yellow(`noted, ${line}`)
  })
}

const textsIn = (body: JsonObject, name: string): string[] => {
  const { [name]: list } = body
  return Array.isArray(list) ? list.map(String) : []
}
