import type { JsonObject } from 'toolwire'
import type { ApiClient } from '../api/api-client.js'
import { CommandError, usageProblem } from '../command.js'
import { listIn, numberIn, objectIn, ownMember, stringIn } from '../json-members.js'
import { formatDuration } from '../output/time.js'
import type { Terminal } from '../terminal/terminal.js'
import { visibleJson, visibleText, visibleTextLine } from '../terminal/visible-text.js'

export const approvalId = (waiting: JsonObject): string => stringIn(waiting, 'id') ?? ''
export const approvalTool = (waiting: JsonObject): string =>
  stringIn(objectIn(waiting, 'tool'), 'name') ?? stringIn(waiting, 'tool') ?? '?'
export const timeLeft = (waiting: JsonObject): string => formatDuration((numberIn(waiting, 'expiresAt') ?? 0) - Date.now())

const mostOnPage = 1_000

export async function allPending(api: ApiClient): Promise<JsonObject[]> {
  const all: JsonObject[] = []
  for (let after: string | undefined; ; ) {
    const page = await api.request('/approvals', { query: { limit: mostOnPage, after } })
    all.push(...listIn(page, 'approvals'))
    after = stringIn(page, 'next')
    if (after === undefined) return all
  }
}

/** The pending call whose id starts with the given text; an ambiguous text is refused. */
export async function pendingById(api: ApiClient, id: string): Promise<JsonObject> {
  const found = (await allPending(api)).filter((waiting) => approvalId(waiting).startsWith(id))
  if (id === '' || found.length > 1)
    throw usageProblem(`"${visibleTextLine(id)}" matches ${found.length} ids. Type more of the id`)
  if (!found[0])
    throw new CommandError(`No pending call has the id ${visibleTextLine(id)}. It may be decided already; see toolwire pending`)
  return found[0]
}

/** The pending call in full, with everything that the decision depends on. */
export function showApproval(waiting: JsonObject, { paint }: Terminal): string {
  const tool = objectIn(waiting, 'tool')
  const server = stringIn(waiting, 'server')
  const claims = Object.entries(objectIn(waiting, 'claims')).map(([name, value]) => `${name}: ${value}`)
  const unverified = claims.length > 0 && waiting.trusted !== true ? ' (unverified)' : ''
  const lines = [
    ['call', approvalId(waiting)],
    ['caller', approvalCaller(waiting)],
    ['tool', `${approvalTool(waiting)}${server === undefined ? '' : ` of ${server}`}`],
    ['about', stringIn(tool, 'description')],
    ['claims', `${claims.join(', ')}${unverified}` || undefined],
    ['definition', stringIn(tool, 'definitionHash')],
    ['waits for', timeLeft(waiting)],
    ['changed since the request', changesOf(waiting).join(', ') || undefined],
  ]
  const told = lines.flatMap(([name, value]) => (value === undefined ? [] : [`${paint.bold(`${name}:`)} ${visibleText(value)}`]))
  const args = isUnreadable(waiting)
    ? `${paint.bold('arguments:')} ${visibleText(stringIn(waiting, 'display') ?? '')}`
    : `${paint.bold('arguments, exactly as they will be sent:')}\n${visibleJson(ownMember(waiting, 'arguments') ?? {})}`
  return [...told, args].join('\n')
}

/** Names of the parts that changed since the request. The call can only be denied. */
const changesOf = ({ changes }: JsonObject): readonly unknown[] => (Array.isArray(changes) ? changes : [])

/** The stored arguments were changed on the disk of the gateway. */
export const isUnreadable = (waiting: JsonObject): boolean => changesOf(waiting).includes('arguments')

/** The caller; an unverified caller may be any program on this machine. */
export const approvalCaller = (waiting: JsonObject): string =>
  `${stringIn(waiting, 'caller') ?? ''}${waiting.unverified === true ? ' (unverified)' : ''}`

export const sendDecision = (api: ApiClient, waiting: JsonObject, decision: JsonObject): Promise<JsonObject> =>
  api.request(`/approvals/${encodeURIComponent(approvalId(waiting))}`, { method: 'POST', body: decision })
