import type { JsonObject } from 'toolwire'
import type { Api } from '../api/api.js'
import { misused } from '../exit-codes.js'
import { listIn, wordIn } from '../json.js'
import { nearest } from '../nearest.js'
import { visible, visibleLine } from '../terminal/hidden.js'
import type { Terminal } from '../terminal/terminal.js'

/** Definitions that were accepted, and those that wait for somebody to accept them. */
export type Pins = { readonly pins: readonly JsonObject[]; readonly waiting: readonly JsonObject[] }

export async function pinsOf(api: Api): Promise<Pins> {
  const body = await api.ask('/pins')
  return { pins: listIn(body, 'accepted'), waiting: listIn(body, 'waiting') }
}

export const toolOf = (pin: JsonObject): string => wordIn(pin, 'tool') ?? '?'
export const serverOf = (pin: JsonObject): string => wordIn(pin, 'server') ?? ''

/** The change that waits at a tool, which is named with or without its server. */
export function waitingAt(name: string, { pins, waiting }: Pins): JsonObject | undefined {
  const found = waiting.filter((drift) => isNamed(drift, name))
  if (found.length > 1) throw misused(`${found.length} servers have a tool "${name}"; write ${found.map(fullName).join(' or ')}`)
  if (found[0] || pins.some((pin) => isNamed(pin, name))) return found[0]
  const like = nearest(name, [...pins, ...waiting].map(toolOf))
  throw misused(
    `There is no tool "${name}" here${like.length > 0 ? `; did you mean ${like.map(visibleLine).join(' or ')}?` : '; toolwire pins shows them'}`,
  )
}

const fullName = (pin: JsonObject): string => `${serverOf(pin)}__${toolOf(pin)}`
const isNamed = (pin: JsonObject, name: string): boolean => toolOf(pin) === name || fullName(pin) === name

/** Every place that differs; the whole definition where none was accepted before. */
export function differenceOf(drift: JsonObject, { paint }: Terminal): string {
  const isNew = drift.before === undefined || drift.before === null
  const head = `${paint.bold(visibleLine(toolOf(drift)))}${serverOf(drift) ? ` of ${visibleLine(serverOf(drift))}` : ''} ${isNew ? 'is new' : 'has changed'}`
  const changes = listIn(drift, 'changes').flatMap((change) => {
    const before = wordIn(change, 'before')
    const after = wordIn(change, 'after')
    return [
      paint.bold(visibleLine(wordIn(change, 'path') || '/')),
      ...(before === undefined ? [] : [paint.red(`  - ${visible(before)}`)]),
      ...(after === undefined ? [] : [paint.green(`  + ${visible(after)}`)]),
    ]
  })
  const advice = listIn(drift, 'advice').map((one) =>
    paint.yellow(`careful: ${visible(wordIn(one, 'message') ?? JSON.stringify(one))}`),
  )
  return [head, ...changes, ...advice, `hash: ${wordIn(drift, 'hash') ?? '?'}`].join('\n')
}
