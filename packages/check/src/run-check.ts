import { setMaxListeners } from 'node:events'
import type { JsonObject } from 'toolwire'
import { attemptAt } from './attempt.js'
import type { Check } from './check.js'
import type { CheckOptions, CheckTarget } from './check-options.js'
import type { CheckReport, CheckResult } from './check-report.js'
import { allChecks, checkLanes, exclusiveChecks, finalChecks } from './checks/all-checks.js'
import { RateLimitedError, UnreachableError } from './connection/connection.js'
import { isObject, textOf } from './json.js'
import { allRevisions, findRevision, first, perRequest, type Revision, streamable } from './revisions.js'
import { metaKeys } from './session/session.js'
import { stopwatch } from './session/stopwatch.js'
import { SharedState, TargetServer } from './session/target-server.js'
import { excerptOf, Transcript } from './session/transcript.js'
import { cutShort, missingBecause, notTried, type Verdict } from './verdict.js'

type PageMoves = Readonly<Record<string, string>>

/** Pages that are elsewhere in some revisions: the first ones keep their schema apart from their pages. */
const pageMoves: ReadonlyMap<Revision, PageMoves> = new Map<Revision, PageMoves>([
  [first, { basic: 'basic/messages', schema: 'server/tools' }],
  [streamable, { schema: 'server/tools' }],
  [
    perRequest,
    { 'basic/utilities/progress': 'basic/patterns/progress', 'basic/utilities/cancellation': 'basic/patterns/cancellation' },
  ],
])

/** The path of a page in a revision. */
export const specificationPage = (revision: Revision, page: string): string =>
  `${revision.version}/${pageMoves.get(revision)?.[page] ?? page}`

const defaultTotalMs = 300_000

/** Reasons why the rest of a check is not tried. */
const endings = { late: 'The timeout of the whole check (--total) was reached', stopped: 'The check was stopped' } as const

/** Runs every check that applies to one server. It always ends, and never throws for the server's behaviour. */
export async function runCheck(target: CheckTarget, options: CheckOptions = {}): Promise<CheckReport> {
  const ends = performance.now() + (options.totalMs ?? defaultTotalMs)
  // Every running check listens to the signal, which may exceed Node's limit of listeners.
  if (options.signal) setMaxListeners(0, options.signal)
  const common = new SharedState(allChecks.flatMap(({ observes }) => observes ?? []))
  const wanted = wantedRevisions(options).map((revision) => new TargetServer({ target, revision, options, common }))
  try {
    const { targetServers, trouble, omitted } = await connectRevisions(wanted, { ends, options })
    const connected = targetServers.length > 0
    const revisions = targetServers.map(({ revision }) => revision.version)
    const server = describeServer(targetServers[0]?.opening)
    const cuts = new Set<string>()
    const results = await runRevisions(targetServers, { ends, options, cuts })
    const gaps = [...omitted, ...unlistedTools(options, common), ...cuts, ...untried(results)]
    const incomplete = gaps.length > 0 ? gaps.join('. ') : undefined
    return { target: nameOf(target), server, revisions, connected, trouble: connected ? incomplete : trouble, results }
  } finally {
    await Promise.all(wanted.map((targetServer) => targetServer.close()))
  }
}

function unlistedTools({ tools = {}, slow }: CheckOptions, { toolNames }: SharedState): string[] {
  const named = [...Object.keys(tools), ...(slow ? [slow.name] : [])]
  return named.filter((name) => !toolNames.has(name)).map((name) => `The server has no tool ${excerptOf(name)}. Check its name`)
}

/** A check that tries no MUST, or nothing at all, proves nothing. */
function untried(results: readonly CheckResult[]): string[] {
  const obligatory = results.filter(({ level }) => level === 'MUST')
  const [demands, what] = obligatory.length > 0 ? [obligatory, 'MUST'] : [results, 'demand']
  return demands.every(({ outcome }) => outcome === 'not-tried') ? [`No ${what} was tried`] : []
}

/** The target for the report, without credentials and query of a URL. */
function nameOf(target: CheckTarget): string {
  if (!('url' in target)) return excerptOf([target.command, ...(target.args ?? [])].join(' '))
  if (!URL.canParse(target.url)) return excerptOf(target.url)
  const { origin, pathname } = new URL(target.url)
  return excerptOf(`${origin}${pathname}`)
}

/** Newest first. All tools are listed first, because annotations in one revision count for revisions that have none. */
async function connectRevisions(
  wanted: readonly TargetServer[],
  { ends, options: { signal, revisions } }: Omit<RunState, 'cuts'>,
) {
  const ms = ends - performance.now()
  const limit = { ms: () => ms, signal }
  const troubles = await Promise.all(
    wanted.map(async (targetServer) => {
      const outcome = await withTimeLimit(async () => ({ trouble: await connectionError(targetServer) }), limit)
      const trouble = typeof outcome === 'object' ? outcome.trouble : endings[outcome]
      if (trouble !== undefined) await targetServer.close()
      const mayBeOmitted = revisions === undefined && typeof outcome === 'object'
      return trouble === undefined ? undefined : { trouble, mayBeOmitted, version: targetServer.revision.version }
    }),
  )
  const targetServers = wanted.filter((_, at) => troubles[at] === undefined)
  const omitted = troubles.flatMap((one) =>
    one === undefined || one.mayBeOmitted ? [] : [`${one.version} was not checked: ${one.trouble}`],
  )
  return { targetServers, omitted, trouble: troubles.at(-1)?.trouble ?? 'The server speaks none of the requested revisions' }
}

function wantedRevisions({ revisions }: CheckOptions): Revision[] {
  const unknown = revisions?.find((version) => !findRevision(version))
  if (unknown !== undefined)
    throw new TypeError(`Unknown revision "${unknown}". Use one of: ${allRevisions.map(({ version }) => version).join(', ')}`)
  return allRevisions.filter(({ version }) => !revisions || revisions.includes(version)).toReversed()
}

const messageOf = (thrown: unknown): string => (thrown instanceof Error ? thrown.message : String(thrown))

/** Opens a session and lists the tools; returns the error message if that fails. */
async function connectionError(targetServer: TargetServer): Promise<string | undefined> {
  const transcript = new Transcript(targetServer.common.budget)
  try {
    await targetServer.tools(transcript)
    return undefined
  } catch (thrown) {
    return excerptOf(messageOf(thrown))
  } finally {
    transcript.release()
  }
}

function describeServer(opening: JsonObject | undefined): CheckReport['server'] {
  const about = opening?.serverInfo ?? (isObject(opening?._meta) ? opening._meta[metaKeys.server] : undefined)
  return isObject(about) ? { name: excerptOf(textOf(about.name)), version: excerptOf(textOf(about.version)) } : undefined
}

type RunState = {
  readonly ends: number
  readonly options: CheckOptions
  /** Reasons why obligatory checks could not be carried out. */
  readonly cuts: Set<string>
}

/** Runs revisions and lanes in parallel, because checks mostly wait. Checks that strain the server run alone. */
async function runRevisions(targetServers: readonly TargetServer[], runState: RunState): Promise<CheckResult[]> {
  const results = new Map(targetServers.map((targetServer) => [targetServer, new Map<Check, CheckResult>()]))
  const total = targetServers.reduce(
    (sum, targetServer) => sum + allChecks.filter((check) => appliesTo(targetServer, check)).length,
    0,
  )
  let tried = 0
  const run = async (targetServer: TargetServer, checks: readonly Check[], lane = 0) => {
    for (const check of checks.filter((one) => appliesTo(targetServer, one))) {
      results.get(targetServer)?.set(check, await attemptCheck(targetServer, check, { ...runState, lane }))
      runState.options.onProgress?.({ tried: ++tried, total })
    }
  }
  await Promise.all(targetServers.flatMap((targetServer) => checkLanes.map((checks, lane) => run(targetServer, checks, lane))))
  // Each revision has its own programs, but all revisions share one endpoint.
  if (targetServers[0] && 'url' in targetServers[0].target)
    for (const targetServer of targetServers) await run(targetServer, exclusiveChecks)
  else await Promise.all(targetServers.map((targetServer) => run(targetServer, exclusiveChecks)))
  await Promise.all(targetServers.map((targetServer) => run(targetServer, finalChecks)))
  return targetServers.flatMap((targetServer) => allChecks.flatMap((check) => results.get(targetServer)?.get(check) ?? []))
}

function appliesTo({ revision, options: { only } }: TargetServer, { revisions, id }: Check): boolean {
  return revisions.includes(revision) && (!only || only.some((one) => id.startsWith(one)))
}

type CheckRun = RunState & { readonly lane: number }

async function attemptCheck(targetServer: TargetServer, check: Check, runState: CheckRun): Promise<CheckResult> {
  const { id, level, sentence, how } = check
  const { revision } = targetServer
  const transcript = new Transcript(targetServer.common.budget)
  const { outcome, detail, isCutShort } = await verdictOf(check, { targetServer, transcript, ...runState })
  if (isCutShort && level === 'MUST') runState.cuts.add(excerptOf(detail))
  transcript.release()
  const page = specificationPage(revision, check.page)
  const said = { id, level, revision: revision.version, sentence, page, how }
  return { ...said, outcome, detail: excerptOf(detail), evidence: transcript.entries }
}

/**
 * A check makes several requests with a timeout each. One that takes more than this many timeouts has failed. The opening of a shared
 * session and the sample calls do not count, because they take as long as the server needs, and only the first check waits for them.
 */
const timeoutsPerCheck = 8

type CheckRunContext = CheckRun & { readonly targetServer: TargetServer; readonly transcript: Transcript }

async function verdictOf(
  { over, needs, run }: Check,
  { targetServer, transcript, lane, ends, options: { signal } }: CheckRunContext,
): Promise<Verdict> {
  const kind = 'url' in targetServer.target ? 'http' : 'stdio'
  if (over && over !== kind) return notTried(`Applies to ${over === 'http' ? 'HTTP' : 'stdio'} servers only`)
  if (needs && !targetServer.hasTools) return notTried('The server has no tools')
  const started = performance.now()
  const most = targetServer.ms * timeoutsPerCheck
  const shared = stopwatch()
  const ms = () => Math.min(most + shared.ms, ends - started)
  try {
    const attempt = attemptAt(targetServer, { transcript, lane, shared })
    const verdict = await withTimeLimit(() => run(attempt), { ms, signal })
    if (typeof verdict === 'object') return verdict
    targetServer.abandon(lane)
    const isSlow = verdict === 'late' && performance.now() < ends
    return isSlow ? missingBecause(`The server did not complete this check within ${most} ms`) : cutShort(endings[verdict])
  } catch (thrown) {
    targetServer.abandon(lane)
    if (thrown instanceof RateLimitedError) return cutShort(thrown.message)
    if (thrown instanceof UnreachableError) return cutShort(`The server can no longer be reached: ${thrown.message}`)
    // One value that a check cannot read must not cost the report of all others.
    return cutShort(`The check failed: ${messageOf(thrown)}`)
  }
}

type TimeLimit = {
  /** Milliseconds from the start of the work, which may become more meanwhile. */
  readonly ms: () => number
  readonly signal: AbortSignal | undefined
}

/** Longer times would end a timer of Node at once. */
const longestMs = 2 ** 31 - 1
/** A limit that grows is not looked at more often. */
const shortestMs = 20

/** The result of the work; or `late` or `stopped`, if the time is over or the signal is aborted before. */
async function withTimeLimit<T>(work: () => T | Promise<T>, { ms, signal }: TimeLimit): Promise<T | 'late' | 'stopped'> {
  if (signal?.aborted) return 'stopped'
  if (ms() <= 0) return 'late'
  const started = performance.now()
  let end: (why: 'late' | 'stopped') => void = () => undefined
  const ended = new Promise<'late' | 'stopped'>((resolve) => {
    end = resolve
  })
  const stop = () => end('stopped')
  let timer: NodeJS.Timeout | undefined
  const look = () => {
    const left = ms() - (performance.now() - started)
    if (left <= 0) end('late')
    else timer = setTimeout(look, Math.min(Math.max(left, shortestMs), longestMs))
  }
  look()
  signal?.addEventListener('abort', stop, { once: true })
  try {
    return await Promise.race([ended, work()])
  } finally {
    clearTimeout(timer)
    signal?.removeEventListener('abort', stop)
  }
}
