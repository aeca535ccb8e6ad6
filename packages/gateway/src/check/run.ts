import { setMaxListeners } from 'node:events'
import { type Edition, editions, findEdition } from './editions.js'
import { Journal, shown } from './journal.js'
import { isObject } from './json.js'
import type { CheckOptions, CheckTarget } from './options.js'
import { pageIn } from './page-in.js'
import type { CheckReport, CheckResult } from './report.js'
import type { Row } from './row.js'
import { alone, lanes, lastly, rows } from './rows/rows.js'
import { Common, Stage } from './stage.js'
import { metaKeys } from './talk.js'
import { Trial } from './trial.js'
import { missing, notTried, type Verdict } from './verdict.js'
import { Limited, Unreachable } from './wire/wire.js'

const usualTotalMs = 300_000

/** Tries every demand that can be tried from outside on one server. It never throws for what the server does, and always ends. */
export async function runCheck(target: CheckTarget, options: CheckOptions = {}): Promise<CheckReport> {
  const ends = Date.now() + (options.totalMs ?? usualTotalMs)
  // Every row that runs listens to it.
  if (options.signal) setMaxListeners(0, options.signal)
  const found = await findStages(target, options)
  try {
    return {
      target: nameOf(target),
      server: found.server,
      revisions: found.stages.map(({ edition }) => edition.version),
      connected: found.stages.length > 0,
      trouble: found.stages.length > 0 ? undefined : found.trouble,
      results: await runStages(found.stages, { ends, options }),
    }
  } finally {
    await Promise.all(found.stages.map((stage) => stage.close()))
  }
}

/** Without what an address may hide in it. */
function nameOf(target: CheckTarget): string {
  if (!('url' in target)) return shown([target.command, ...(target.args ?? [])].join(' '))
  if (!URL.canParse(target.url)) return shown(target.url)
  const { origin, pathname } = new URL(target.url)
  return shown(`${origin}${pathname}`)
}

type Found = { stages: Stage[]; trouble: string; server: CheckReport['server'] }

/** Newest first. What a tool says about itself in one edition holds for those that have no words for it, so all are listed first. */
async function findStages(target: CheckTarget, options: CheckOptions): Promise<Found> {
  const common = new Common()
  const tried = await Promise.all(
    wanted(options).map(async (edition) => {
      const stage = new Stage({ target, edition, options, common })
      const trouble = await opens(stage)
      if (trouble !== undefined) await stage.close()
      return { stage, trouble }
    }),
  )
  const stages = tried.flatMap(({ stage, trouble }) => (trouble === undefined ? [stage] : []))
  const [newest] = stages
  return {
    stages,
    trouble: tried.at(-1)?.trouble ?? 'The server speaks none of the editions asked for',
    server: newest && (await aboutOf(newest)),
  }
}

function wanted({ revisions, signal }: CheckOptions): Edition[] {
  if (signal?.aborted) return []
  const unknown = revisions?.find((version) => !findEdition(version))
  if (unknown !== undefined)
    throw new TypeError(`There is no revision "${unknown}"; there are: ${editions.map(({ version }) => version).join(', ')}`)
  return editions.filter(({ version }) => !revisions || revisions.includes(version)).toReversed()
}

/** Why no conversation could be opened, if none could. */
async function opens(stage: Stage): Promise<string | undefined> {
  try {
    await stage.tools(new Journal())
    return undefined
  } catch (thrown) {
    if (thrown instanceof Unreachable || thrown instanceof Limited) return thrown.message
    throw thrown
  }
}

async function aboutOf(stage: Stage): Promise<CheckReport['server']> {
  const { opening } = (await stage.talk(new Journal())).terms
  const about = opening?.serverInfo ?? (isObject(opening?._meta) ? opening._meta[metaKeys.server] : undefined)
  return isObject(about) ? { name: shown(String(about.name)), version: shown(String(about.version)) } : undefined
}

type Course = { readonly ends: number; readonly options: CheckOptions }
/** A row in an edition, and what became of it. */
type Tried = { readonly stage: Stage; readonly row: Row; readonly result: CheckResult }

/** Editions and lanes go side by side, because most of the time nothing is done but waiting. What strains a server comes alone. */
async function runStages(stages: readonly Stage[], course: Course): Promise<CheckResult[]> {
  const tried: Tried[] = []
  const total = stages.reduce((sum, stage) => sum + rows.filter((row) => concerns(stage, row)).length, 0)
  const note = (one: Tried) => {
    tried.push(one)
    course.options.onProgress?.({ tried: tried.length, total })
  }
  const run = async (stage: Stage, lane: number, of: readonly Row[]) => {
    for (const row of of.filter((one) => concerns(stage, one)))
      note({ stage, row, result: await runRow(stage, row, { ...course, lane }) })
  }
  await Promise.all(stages.flatMap((stage) => lanes.map((lane, at) => run(stage, at, lane))))
  // Programs are started for each edition; an endpoint is the same for all.
  const [one] = stages
  if (one && 'url' in one.target) for (const stage of stages) await run(stage, 0, alone)
  else await Promise.all(stages.map((stage) => run(stage, 0, alone)))
  await Promise.all(stages.map((stage) => run(stage, 0, lastly)))
  return stages.flatMap((stage) => {
    const own = new Map(tried.flatMap((each) => (each.stage === stage ? [[each.row, each.result] as const] : [])))
    return rows.flatMap((row) => own.get(row) ?? [])
  })
}

function concerns({ edition, options: { only } }: Stage, { editions, id }: Row): boolean {
  return editions.includes(edition) && (!only || only.some((one) => id.startsWith(one)))
}

async function runRow(stage: Stage, row: Row, course: Course & { readonly lane: number }): Promise<CheckResult> {
  const journal = new Journal()
  const { outcome, detail } = await tried(stage, row, { ...course, journal })
  const { id, level, sentence, page, how } = row
  return {
    id,
    level,
    revision: stage.edition.version,
    sentence,
    page: pageIn(stage.edition, page),
    how,
    outcome,
    detail: shown(detail),
    evidence: journal.entries,
  }
}

/** A row asks several times, and each time waits; more than this is a server that holds us up. */
const waitsOfARow = 8
const over = notTried('The time for the whole check is over')
const stopped = notTried('The check was stopped')

type Run = Course & { readonly lane: number; readonly journal: Journal }

async function tried(stage: Stage, row: Row, { journal, lane, ends, options: { signal } }: Run): Promise<Verdict> {
  const kind = 'url' in stage.target ? 'http' : 'stdio'
  if (row.over && row.over !== kind) return notTried(`It is about ${row.over === 'http' ? 'HTTP' : 'pipes'}`)
  const left = ends - Date.now()
  if (signal?.aborted) return stopped
  if (left <= 0) return over
  const most = stage.ms * waitsOfARow
  const late = most < left ? missing(`The server did not get through this in ${most} ms`) : over
  const end = new AbortController()
  try {
    return await Promise.race([
      ended(Math.min(most, left), { end: end.signal, signal }).then((why) => {
        stage.abandon(lane)
        return why === 'late' ? late : stopped
      }),
      Promise.resolve(row.run(new Trial(stage, journal, lane))),
    ])
  } catch (thrown) {
    stage.abandon(lane)
    if (thrown instanceof Limited) return notTried(thrown.message)
    if (thrown instanceof Unreachable) return notTried(`The server could not be reached any more: ${thrown.message}`)
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
