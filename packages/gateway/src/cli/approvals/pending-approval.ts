import type { JsonObject } from 'toolwire'
import { ownMember } from '../../json/own-member.js'
import { type ApiClient, ApiRefusal } from '../api/api-client.js'
import { CommandError, usageProblem } from '../command.js'
import { listIn, numberIn, objectIn, stringIn } from '../json-members.js'
import { formatDuration } from '../output/time.js'
import type { Terminal } from '../terminal/terminal.js'
import { indentedText, visibleJson, visibleTextLine } from '../terminal/visible-text.js'

export const approvalId = (waiting: JsonObject): string => stringIn(waiting, 'id') ?? ''
export const approvalTool = (waiting: JsonObject): string =>
  stringIn(objectIn(waiting, 'tool'), 'name') ?? stringIn(waiting, 'tool') ?? '?'
export const timeLeft = (waiting: JsonObject): string => formatDuration((numberIn(waiting, 'expiresAt') ?? 0) - Date.now())

const mostOnPage = 1_000

/** The pending calls in their order. One that moves between two pages while they are read may be missing. */
export async function allPending(api: ApiClient): Promise<JsonObject[]> {
  const all = new Map<string, JsonObject>()
  for (let after: string | undefined; ; ) {
    const page = await api.request('/approvals', { query: { limit: mostOnPage, after } })
    for (const waiting of listIn(page, 'approvals')) all.set(approvalId(waiting), waiting)
    after = stringIn(page, 'next')
    if (after === undefined) return [...all.values()]
  }
}

/** The call with exactly this id; undefined if it is no longer pending. */
export async function findPending(api: ApiClient, id: string): Promise<JsonObject | undefined> {
  try {
    const waiting = await api.request(`/approvals/${encodeURIComponent(id)}`)
    return approvalId(waiting) === id ? waiting : undefined
  } catch (thrown) {
    if (thrown instanceof ApiRefusal && thrown.status === 404) return undefined
    throw thrown
  }
}

/** The pending call whose id starts with the given text; an ambiguous text is refused. */
export async function pendingById(api: ApiClient, id: string): Promise<JsonObject> {
  const found = (await allPending(api)).filter((waiting) => approvalId(waiting).startsWith(id))
  if (id === '' || found.length > 1)
    throw usageProblem(`"${visibleTextLine(id)}" matches ${found.length} ids. Type more of the id`)
  const waiting = found[0] ?? (await findPending(api, id))
  if (!waiting)
    throw new CommandError(`No pending call has the id ${visibleTextLine(id)}. It may be decided already; see toolwire pending`)
  return waiting
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
    ['claims', `${claims.join(', ')}${unverified}` || undefined],
    ['definition', stringIn(tool, 'definitionHash')],
    ['time left', timeLeft(waiting)],
    ['changed since the request', changesOf(waiting).join(', ') || undefined],
  ]
  const told = lines.flatMap(([name, value]) =>
    value === undefined ? [] : [`${paint.bold(`${name}:`)} ${visibleTextLine(value)}`],
  )
  const args = isUnreadable(waiting)
    ? `${paint.bold('arguments:')} ${indentedText(stringIn(waiting, 'display') ?? '')}`
    : `${paint.bold('arguments, exactly as they will be sent:')}\n${visibleJson(ownMember(waiting, 'arguments') ?? {})}`
  // The server's own words come last, where they can push nothing away.
  const description = stringIn(tool, 'description')
  const about = description === undefined ? [] : [`${paint.bold('about:')} ${indentedText(shortened(description))}`]
  return [...told, args, ...about].join('\n')
}

const longestDescription = 600

function shortened(description: string): string {
  const text = description
    .replace(/[ \t]+/g, ' ')
    .replace(/\s*\n\s*/g, '\n')
    .trim()
  if (text.length <= longestDescription) return text
  return `${text.slice(0, longestDescription)}… (${text.length} characters; toolwire inspect shows all)`
}

/** Names of the parts that changed since the request. The call can only be denied. */
const changesOf = ({ changes }: JsonObject): readonly unknown[] => (Array.isArray(changes) ? changes : [])

/** The stored arguments were changed on the disk of the gateway. */
export const isUnreadable = (waiting: JsonObject): boolean => changesOf(waiting).includes('arguments')

/** The caller; an unverified caller may be any program on this machine. */
export const approvalCaller = (waiting: JsonObject): string =>
  `${stringIn(waiting, 'caller') ?? ''}${waiting.unverified === true ? ' (unverified)' : ''}`

/** Decides the call as it was shown. If it differs by now, it is not allowed. */
export function sendDecision(api: ApiClient, waiting: JsonObject, decision: JsonObject): Promise<JsonObject> {
  const hash = decision.decision === 'allow' ? stringIn(waiting, 'digest') : undefined
  const body = { ...decision, ...(hash !== undefined && { hash }) }
  return api.request(`/approvals/${encodeURIComponent(approvalId(waiting))}`, { method: 'POST', body })
}
