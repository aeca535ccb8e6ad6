import type { JsonObject } from 'toolwire'
import type { Api } from '../api/api.js'
import { misused, Trouble } from '../exit-codes.js'
import { listIn, numberIn, objectIn, own, wordIn } from '../json.js'
import { spanOf } from '../output/moment.js'
import { visible, visibleLine } from '../terminal/hidden.js'
import { jsonText } from '../terminal/json-text.js'
import type { Terminal } from '../terminal/terminal.js'

/** A call that waits for a person, as the gateway tells of it. */
export type Waiting = JsonObject

export const idOf = (waiting: Waiting): string => wordIn(waiting, 'id') ?? ''
export const toolOf = (waiting: Waiting): string => wordIn(objectIn(waiting, 'tool'), 'name') ?? wordIn(waiting, 'tool') ?? '?'
export const leftOf = (waiting: Waiting): string => spanOf((numberIn(waiting, 'expiresAt') ?? 0) - Date.now())

const mostOnPage = 1_000

export async function allWaiting(api: Api): Promise<Waiting[]> {
  const all: Waiting[] = []
  for (let after: string | undefined; ; ) {
    const page = await api.ask('/approvals', { query: { limit: mostOnPage, after } })
    all.push(...listIn(page, 'approvals'))
    after = wordIn(page, 'next')
    if (after === undefined) return all
  }
}

/** The one whose id begins like this; an id that could mean two is refused. */
export async function waitingNamed(api: Api, id: string): Promise<Waiting> {
  const found = (await allWaiting(api)).filter((waiting) => idOf(waiting).startsWith(id))
  if (id === '' || found.length > 1)
    throw misused(`"${visibleLine(id)}" is the beginning of ${found.length} ids; write more of it`)
  if (!found[0]) throw new Trouble(`No call with the id ${visibleLine(id)} waits; it may be decided already (toolwire pending)`)
  return found[0]
}

/** Everything that the decision is about, with nothing hidden. */
export function shown(waiting: Waiting, { paint }: Terminal): string {
  const tool = objectIn(waiting, 'tool')
  const server = wordIn(waiting, 'server')
  const claims = Object.entries(objectIn(waiting, 'claims')).map(([name, value]) => `${name}: ${value}`)
  const unverified = claims.length > 0 && waiting.trusted !== true ? ' (unverified)' : ''
  const lines = [
    ['call', idOf(waiting)],
    ['caller', callerOf(waiting)],
    ['tool', `${toolOf(waiting)}${server === undefined ? '' : ` of ${server}`}`],
    ['about', wordIn(tool, 'description')],
    ['claims', `${claims.join(', ')}${unverified}` || undefined],
    ['definition', wordIn(tool, 'definitionHash')],
    ['waits for', leftOf(waiting)],
  ]
  const told = lines.flatMap(([name, value]) => (value === undefined ? [] : [`${paint.bold(`${name}:`)} ${visible(value)}`]))
  return [...told, `${paint.bold('arguments, exactly as they will be sent:')}\n${argumentsOf(waiting)}`].join('\n')
}

/** One that has shown nothing may be anybody on this machine. */
export const callerOf = (waiting: Waiting): string =>
  `${wordIn(waiting, 'caller') ?? ''}${waiting.unverified === true ? ' (unverified)' : ''}`

const argumentsOf = (waiting: Waiting): string => jsonText(own(waiting, 'arguments') ?? {})

/** Tells the gateway what was decided. */
export async function decide(api: Api, waiting: Waiting, decision: JsonObject): Promise<JsonObject> {
  return api.ask(`/approvals/${encodeURIComponent(idOf(waiting))}`, { method: 'POST', body: decision })
}
