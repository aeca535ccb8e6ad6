import { type Edition, editions, findEdition } from './editions.js'
import { Journal, shown } from './journal.js'
import { isObject } from './json.js'
import type { CheckOptions, CheckTarget } from './options.js'
import { pageIn } from './page-in.js'
import type { CheckReport, CheckResult } from './report.js'
import type { Row } from './row.js'
import { rows } from './rows/rows.js'
import { Stage } from './stage.js'
import { metaKeys } from './talk.js'
import { Trial } from './trial.js'
import { missing, notTried, type Verdict } from './verdict.js'
import { Unreachable } from './wire/wire.js'

const usualTotalMs = 300_000

/** Tries every demand that can be tried from outside on one server. It never throws for what the server does, and always ends. */
export async function runCheck(target: CheckTarget, options: CheckOptions = {}): Promise<CheckReport> {
  const ends = Date.now() + (options.totalMs ?? usualTotalMs)
  const found = await findStages(target, options)
  const results: CheckResult[] = []
  try {
    for (const stage of found.stages) results.push(...(await runStage(stage, ends)))
  } finally {
    await Promise.all(found.stages.map((stage) => stage.close()))
  }
  return {
    target: nameOf(target),
    server: found.server,
    revisions: found.stages.map(({ edition }) => edition.version),
    connected: found.stages.length > 0,
    trouble: found.stages.length > 0 ? undefined : found.trouble,
    results,
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

/** Newest first: what a tool says about itself there holds for the editions that have no words for it. */
async function findStages(target: CheckTarget, options: CheckOptions): Promise<Found> {
  const readers = new Set<string>()
  const found: Found = { stages: [], trouble: 'The server speaks none of the editions asked for', server: undefined }
  for (const edition of wanted(options)) {
    if (options.signal?.aborted) break
    const stage = new Stage({ target, edition, options, readers })
    const trouble = await opens(stage)
    if (trouble === undefined) {
      found.stages.push(stage)
      found.server ??= await aboutOf(stage)
    } else {
      await stage.close()
      found.trouble = trouble
    }
  }
  return found
}

function wanted({ revisions }: CheckOptions): Edition[] {
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
    if (thrown instanceof Unreachable) return thrown.message
    throw thrown
  }
}

async function aboutOf(stage: Stage): Promise<CheckReport['server']> {
  const { opening } = (await stage.talk(new Journal())).terms
  const about = opening?.serverInfo ?? (isObject(opening?._meta) ? opening._meta[metaKeys.server] : undefined)
  return isObject(about) ? { name: shown(String(about.name)), version: shown(String(about.version)) } : undefined
}

async function runStage(stage: Stage, ends: number): Promise<CheckResult[]> {
  const results: CheckResult[] = []
  const { only, signal } = stage.options
  for (const row of rows.filter(({ editions }) => editions.includes(stage.edition))) {
    if (only && !only.some((one) => row.id.startsWith(one))) continue
    const left = signal?.aborted ? 0 : ends - Date.now()
    results.push(await runRow(stage, row, left))
  }
  return results
}

async function runRow(stage: Stage, row: Row, left: number): Promise<CheckResult> {
  const journal = new Journal()
  const { outcome, detail } =
    left > 0 ? await tried(stage, row, { journal, left }) : notTried('The time for the whole check is over')
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

async function tried(stage: Stage, row: Row, { journal, left }: { journal: Journal; left: number }): Promise<Verdict> {
  const kind = 'url' in stage.target ? 'http' : 'stdio'
  if (row.over && row.over !== kind) return notTried(`It is about ${row.over === 'http' ? 'HTTP' : 'pipes'}`)
  const most = Math.min(left, stage.ms * waitsOfARow)
  let timer: NodeJS.Timeout | undefined
  const late = new Promise<Verdict>((resolve) => {
    timer = setTimeout(() => {
      stage.abandon()
      resolve(missing(`The server did not get through this in ${most} ms`))
    }, most)
  })
  try {
    return await Promise.race([late, Promise.resolve(row.run(new Trial(stage, journal)))])
  } catch (thrown) {
    stage.abandon()
    if (thrown instanceof Unreachable) return notTried(`The server could not be reached any more: ${thrown.message}`)
    throw thrown
  } finally {
    clearTimeout(timer)
  }
}
