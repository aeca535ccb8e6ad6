import { setMaxListeners } from 'node:events'
import { Attempt } from './attempt.js'
import type { Check } from './check.js'
import type { CheckOptions, CheckTarget } from './check-options.js'
import type { CheckReport, CheckResult } from './check-report.js'
import { allChecks, checkLanes, exclusiveChecks, finalChecks } from './checks/all-checks.js'
import { RateLimitedError, UnreachableError } from './connection/connection.js'
import { isObject } from './json.js'
import { allRevisions, findRevision, first, perRequest, type Revision, streamable } from './revisions.js'
import { metaKeys } from './session/session.js'
import { SharedState, TargetServer } from './session/target-server.js'
import { excerptOf, Transcript } from './session/transcript.js'
import { missingBecause, notTried, type Verdict } from './verdict.js'

type PageMoves = Readonly<Record<string, string>>

/** The first editions keep their schema apart from their pages. */
const pageMoves: ReadonlyMap<Revision, PageMoves> = new Map<Revision, PageMoves>([
  [first, { basic: 'basic/messages', schema: 'server/tools' }],
  [streamable, { schema: 'server/tools' }],
  [
    perRequest,
    { 'basic/utilities/progress': 'basic/patterns/progress', 'basic/utilities/cancellation': 'basic/patterns/cancellation' },
  ],
])

/** Where an edition has the page that a row names. */
export const specificationPage = (revision: Revision, page: string): string =>
  `${revision.version}/${pageMoves.get(revision)?.[page] ?? page}`

const defaultTotalMs = 300_000

/** Tries every demand that can be tried from outside on one server. It never throws for what the server does, and always ends. */
export async function runCheck(target: CheckTarget, options: CheckOptions = {}): Promise<CheckReport> {
  const ends = Date.now() + (options.totalMs ?? defaultTotalMs)
  // Every row that runs listens to it.
  if (options.signal) setMaxListeners(0, options.signal)
  const found = await connectRevisions(target, options)
  try {
    return {
      target: nameOf(target),
      server: found.server,
      revisions: found.stages.map(({ revision }) => revision.version),
      connected: found.stages.length > 0,
      trouble: found.stages.length > 0 ? undefined : found.trouble,
      results: await runRevisions(found.stages, { ends, options }),
    }
  } finally {
    await Promise.all(found.stages.map((targetServer) => targetServer.close()))
  }
}

/** Without what an address may hide in it. */
function nameOf(target: CheckTarget): string {
  if (!('url' in target)) return excerptOf([target.command, ...(target.args ?? [])].join(' '))
  if (!URL.canParse(target.url)) return excerptOf(target.url)
  const { origin, pathname } = new URL(target.url)
  return excerptOf(`${origin}${pathname}`)
}

type FoundServer = { stages: TargetServer[]; trouble: string; server: CheckReport['server'] }

/** Newest first. What a tool says about itself in one edition holds for those that have no words for it, so all are listed first. */
async function connectRevisions(target: CheckTarget, options: CheckOptions): Promise<FoundServer> {
  const common = new SharedState()
  const tried = await Promise.all(
    wantedRevisions(options).map(async (revision) => {
      const targetServer = new TargetServer({ target, edition: revision, options, common })
      const trouble = await opens(targetServer)
      if (trouble !== undefined) await targetServer.close()
      return { stage: targetServer, trouble }
    }),
  )
  const targetServers = tried.flatMap(({ stage: targetServer, trouble }) => (trouble === undefined ? [targetServer] : []))
  const [newest] = targetServers
  return {
    stages: targetServers,
    trouble: tried.at(-1)?.trouble ?? 'The server speaks none of the editions asked for',
    server: newest && (await describeServer(newest)),
  }
}

function wantedRevisions({ revisions, signal }: CheckOptions): Revision[] {
  if (signal?.aborted) return []
  const unknown = revisions?.find((version) => !findRevision(version))
  if (unknown !== undefined)
    throw new TypeError(`There is no revision "${unknown}"; there are: ${allRevisions.map(({ version }) => version).join(', ')}`)
  return allRevisions.filter(({ version }) => !revisions || revisions.includes(version)).toReversed()
}

/** Why no conversation could be opened, if none could. */
async function opens(targetServer: TargetServer): Promise<string | undefined> {
  try {
    await targetServer.tools(new Transcript())
    return undefined
  } catch (thrown) {
    if (thrown instanceof UnreachableError || thrown instanceof RateLimitedError) return thrown.message
    throw thrown
  }
}

async function describeServer(targetServer: TargetServer): Promise<CheckReport['server']> {
  const { opening } = (await targetServer.newSession(new Transcript())).state
  const about = opening?.serverInfo ?? (isObject(opening?._meta) ? opening._meta[metaKeys.server] : undefined)
  return isObject(about) ? { name: excerptOf(String(about.name)), version: excerptOf(String(about.version)) } : undefined
}

type RunState = { readonly ends: number; readonly options: CheckOptions }
/** A row in an edition, and what became of it. */
type AttemptedCheck = { readonly stage: TargetServer; readonly row: Check; readonly result: CheckResult }

/** Editions and lanes go side by side, because most of the time nothing is done but waiting. What strains a server comes alone. */
async function runRevisions(targetServers: readonly TargetServer[], course: RunState): Promise<CheckResult[]> {
  const tried: AttemptedCheck[] = []
  const total = targetServers.reduce(
    (sum, targetServer) => sum + allChecks.filter((row) => appliesTo(targetServer, row)).length,
    0,
  )
  const note = (one: AttemptedCheck) => {
    tried.push(one)
    course.options.onProgress?.({ tried: tried.length, total })
  }
  const run = async (targetServer: TargetServer, lane: number, of: readonly Check[]) => {
    for (const row of of.filter((one) => appliesTo(targetServer, one)))
      note({ stage: targetServer, row, result: await attemptCheck(targetServer, row, { ...course, lane }) })
  }
  await Promise.all(targetServers.flatMap((targetServer) => checkLanes.map((lane, at) => run(targetServer, at, lane))))
  // Programs are started for each edition; an endpoint is the same for all.
  const [one] = targetServers
  if (one && 'url' in one.target) for (const targetServer of targetServers) await run(targetServer, 0, exclusiveChecks)
  else await Promise.all(targetServers.map((targetServer) => run(targetServer, 0, exclusiveChecks)))
  await Promise.all(targetServers.map((targetServer) => run(targetServer, 0, finalChecks)))
  return targetServers.flatMap((targetServer) => {
    const own = new Map(tried.flatMap((each) => (each.stage === targetServer ? [[each.row, each.result] as const] : [])))
    return allChecks.flatMap((row) => own.get(row) ?? [])
  })
}

function appliesTo({ revision, options: { only } }: TargetServer, { revisions, id }: Check): boolean {
  return revisions.includes(revision) && (!only || only.some((one) => id.startsWith(one)))
}

async function attemptCheck(
  targetServer: TargetServer,
  row: Check,
  course: RunState & { readonly lane: number },
): Promise<CheckResult> {
  const transcript = new Transcript()
  const { outcome, detail } = await tried(targetServer, row, { ...course, journal: transcript })
  const { id, level, sentence, page, how } = row
  return {
    id,
    level,
    revision: targetServer.revision.version,
    sentence,
    page: specificationPage(targetServer.revision, page),
    how,
    outcome,
    detail: excerptOf(detail),
    evidence: transcript.entries,
  }
}

/** A row asks several times, and each time waits; more than this is a server that holds us up. */
const checkTimeoutMs = 8
const timedOut = notTried('The time for the whole check is over')
const stopped = notTried('The check was stopped')

type CheckRun = RunState & { readonly lane: number; readonly journal: Transcript }

async function tried(
  targetServer: TargetServer,
  row: Check,
  { journal: transcript, lane, ends, options: { signal } }: CheckRun,
): Promise<Verdict> {
  const kind = 'url' in targetServer.target ? 'http' : 'stdio'
  if (row.over && row.over !== kind) return notTried(`It is about ${row.over === 'http' ? 'HTTP' : 'pipes'}`)
  const left = ends - Date.now()
  if (signal?.aborted) return stopped
  if (left <= 0) return timedOut
  const most = targetServer.ms * checkTimeoutMs
  const late = most < left ? missingBecause(`The server did not get through this in ${most} ms`) : timedOut
  const end = new AbortController()
  try {
    return await Promise.race([
      ended(Math.min(most, left), { end: end.signal, signal }).then((why) => {
        targetServer.abandon(lane)
        return why === 'late' ? late : stopped
      }),
      Promise.resolve(row.run(new Attempt(targetServer, transcript, lane))),
    ])
  } catch (thrown) {
    targetServer.abandon(lane)
    if (thrown instanceof RateLimitedError) return notTried(thrown.message)
    if (thrown instanceof UnreachableError) return notTried(`The server could not be reached any more: ${thrown.message}`)
    throw thrown
  } finally {
    end.abort()
  }
}

/** When the time is over, or the check is stopped. It goes without an answer when nobody waits any more. */
function ended(ms: number, { end, signal }: { end: AbortSignal; signal: AbortSignal | undefined }): Promise<'late' | 'stopped'> {
  return new Promise((resolve) => {
    const timer = setTimeout(() => resolve('late'), ms)
    const stop = () => resolve('stopped')
    signal?.addEventListener('abort', stop, { once: true })
    end.addEventListener('abort', () => {
      clearTimeout(timer)
      signal?.removeEventListener('abort', stop)
    })
  })
}
