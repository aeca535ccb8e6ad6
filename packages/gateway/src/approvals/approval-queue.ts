// The pending calls, with all details that a decision needs.
import type { Caller, JsonObject } from 'toolwire'
import { definitionHash, type ReadyTool } from 'toolwire/guard'
import { explain, type Rulebook } from 'toolwire/rules'
import { isLocalCaller } from '../access/local-callers.js'
import type { PolicyFile } from '../guard/policy/policy-file.js'
import { ruleSubjectOf } from '../guard/tools/describe-tool.js'
import { withoutUndefined } from '../json/without-undefined.js'
import { truncateArguments } from '../monitoring/calls/truncate-arguments.js'
import { mostPageBytes } from '../store/approvals/approval-queue.js'
import type { ApprovalFilter, ApprovalRecord, QueuedApprovalRecord, QueuePosition } from '../store/approvals/approval-records.js'
import type { Store } from '../store/store.js'

export type Danger = 'destructive' | 'write' | 'read'

/** A change since the question, after which the call would be refused. */
export type ChangedSince = 'tool' | 'state' | 'server' | 'definition' | 'policy' | 'arguments'

type ApprovalsParts = {
  readonly store: Store
  readonly policy: PolicyFile
  readonly tools: () => readonly ReadyTool[]
  readonly isOff: (tool: ReadyTool) => boolean
  readonly callerNamed: (id: string) => Caller | undefined
  readonly isTrusted: (server: string) => boolean
}

type PageQuery = ApprovalFilter & { readonly limit: number; readonly after?: string }

export type Approvals = ReturnType<typeof createApprovals>
export type ApprovalsPage = NonNullable<Awaited<ReturnType<Approvals['page']>>>

export function createApprovals(parts: ApprovalsParts) {
  const { approvals } = parts.store
  return {
    /**
     * A page of calls: the first ten of each caller, then their next ten; most dangerous first, then oldest. Undefined for an invalid
     * cursor.
     */
    async page({ after, ...query }: PageQuery) {
      const place = after === undefined ? undefined : placeIn(after)
      if (after !== undefined && !place) return undefined
      const { total, groups, page, next } = await approvals.queue({ ...query, ...(place && { after: place }) })
      return {
        total,
        groups: groups.map(({ danger, server, ...group }) => ({ server: server ?? null, ...group, danger: namedDanger(danger) })),
        approvals: viewsOf(page, parts),
        ...(next && { next: `${next.share}-${next.danger}-${next.added}` }),
      }
    },
    async find(id: string): Promise<ApprovalView | undefined> {
      const found = await approvals.waiting(id)
      return found && viewsOf([found], parts)[0]
    },
    changesSince: (record: ApprovalRecord) =>
      changesSince(record, { ...parts, toolNamed: (name) => parts.tools().find((tool) => tool.name === name) }),
    /** Counts the pending calls without reading one. */
    count: () => approvals.countPending(),
    /** The calls that are no longer pending, the latest first. */
    async past(most: number): Promise<readonly JsonObject[]> {
      const past = await approvals.history(most)
      // All members come from JSON.
      return past.map(({ asked, is, isForgotten, ...when }) => {
        const { arguments: args, display, ...about } = asked
        const said = isForgotten ? {} : { arguments: args, display }
        return { ...about, ...said, ...namesOf(asked), ...is, ...when } as unknown as JsonObject
      })
    },
    /** Denies all matching calls, and returns their number. */
    denyAll: async (which: ApprovalFilter, verdict: { readonly why?: string; readonly by: string }) =>
      (await approvals.denyAll(which, verdict)).length,
  }
}

type ViewContext = ApprovalsParts & {
  readonly toolNamed: (name: string) => ReadyTool | undefined
  readonly lastIn: ReturnType<typeof lastCalls>
}

function viewsOf(requests: readonly QueuedApprovalRecord[], parts: ApprovalsParts): readonly ApprovalView[] {
  const tools = new Map(parts.tools().map((tool) => [tool.name, tool]))
  const context = { ...parts, toolNamed: (name: string) => tools.get(name), lastIn: lastCalls() }
  return requests.map((one) => viewOf(one, context))
}

export type ApprovalView = ReturnType<typeof viewOf>

function viewOf(record: QueuedApprovalRecord, parts: ViewContext) {
  const { asked, askedAt, danger, last } = record
  const { server, policyVersion, ...rest } = asked
  const changes = changesSince(record, parts)
  const rule = ruleFor(asked, parts)
  return {
    ...rest,
    ...namesOf(asked),
    ...(isLocalCaller(asked.caller) && { unverified: true as const }),
    ...withoutUndefined({ askedAt, rule, policy: policyVersion, danger: namedDanger(danger) }),
    trusted: server !== undefined && parts.isTrusted(server),
    ...(last && !last.isForgotten && { last: parts.lastIn(last) }),
    ...(changes.length > 0 && { changed: true as const, changes }),
  }
}

type ApprovalRequest = ApprovalRecord['asked']

const namesOf = ({ server, tool }: ApprovalRequest) => ({ server: server ?? null, tool: { ...tool, hash: tool.definitionHash } })

/**
 * Shows the last allowed calls beside the pending ones of a page. Together they may have as many bytes as the page; later ones are
 * truncated, because hundreds of small calls may have the same large one beside them.
 */
function lastCalls() {
  const bytesOf = onceForEach(({ asked }) => Buffer.byteLength(JSON.stringify(asked.arguments)))
  const truncated = onceForEach(({ asked }) => truncateArguments(asked.arguments))
  let bytes = 0
  return (last: ApprovalRecord) => {
    const { asked, askedAt, settledAt = askedAt, by } = last
    const isWhole = bytes === 0 || bytes + bytesOf(last) <= mostPageBytes
    if (isWhole) bytes += bytesOf(last)
    const shown: ReturnType<typeof truncateArguments> = isWhole ? { arguments: asked.arguments } : truncated(last)
    return { ...shown, at: settledAt, ...(by !== undefined && { by }) }
  }
}

function onceForEach<T>(make: (record: ApprovalRecord) => T): (record: ApprovalRecord) => T {
  const made = new Map<ApprovalRecord, T>()
  return (record) => {
    const known = made.get(record) ?? make(record)
    made.set(record, known)
    return known
  }
}

/** Lists changes since the question, because an approved call would be refused after them. */
function changesSince(
  { asked: { tool, serverIdentity, policyVersion }, isUnreadable }: ApprovalRecord,
  { toolNamed, policy, isOff }: Pick<ViewContext, 'toolNamed' | 'policy' | 'isOff'>,
): readonly ChangedSince[] {
  const now = toolNamed(tool.name)
  const changes: ChangedSince[] = []
  if (!now) changes.push('tool')
  else if (now.definition.serverIdentity !== serverIdentity) changes.push('server')
  else if (definitionHash(now) !== tool.definitionHash) changes.push('definition')
  if (now && isOff(now)) changes.push('state')
  if (policyVersion !== undefined && policyVersion !== bookOf(policy).version) changes.push('policy')
  if (isUnreadable) changes.push('arguments')
  return changes
}

function ruleFor(asked: ApprovalRequest, { policy, callerNamed, toolNamed }: ViewContext): string | undefined {
  const { server, tool, hints, caller, arguments: args } = asked
  const now = toolNamed(tool.name)
  const call = { tool: tool.name, ...(server !== undefined && { server }), arguments: args }
  const known = now && now.definition.server === server ? ruleSubjectOf(now) : {}
  return explain(bookOf(policy), { ...call, ...known, hints, caller: callerNamed(caller) ?? caller }).rule
}

/** The rules of a guard with approvals: a pending call continues under the rules that it started with. */
const bookOf = (policy: PolicyFile): Rulebook => policy.where(true).current ?? policy.current

const namedDanger = (danger: number): Danger => (danger === 3 ? 'destructive' : danger === 0 ? 'read' : 'write')

function placeIn(cursor: string): QueuePosition | undefined {
  const [share = 0, danger = 0, added = 0] = /^\d{1,6}-\d-\d{1,15}$/.test(cursor) ? cursor.split('-').map(Number) : []
  return added === 0 ? undefined : { share, danger, added }
}
