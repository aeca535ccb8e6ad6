import type { JsonObject } from 'toolwire'
import { plainText } from 'toolwire/relay'
import { type ApiClient, apiClientOf } from '../api/api-client.js'
import { CommandError, isOptionOn, type RunCommand, usageProblem } from '../command.js'
import { listIn, numberIn, stringIn } from '../json-members.js'
import { table } from '../output/table.js'
import { formatTime } from '../output/time.js'
import { auditFilterOf, mostCalls, usualCalls } from './audit-filter.js'
import { followRecords } from './follow-records.js'
import { groundText } from './ground-text.js'

export const run: RunCommand = async (input, terminal) => {
  const query = auditFilterOf(input)
  const isFollowing = isOptionOn(input, 'follow')
  if (isFollowing && [query.from, query.to, query.limit].some((value) => value !== undefined))
    throw usageProblem('--follow prints new records only. Omit --from, --to and --limit')
  const { text, ...rest } = query
  if (!isFollowing && Object.values(rest).every((value) => value === undefined)) refuseMisspelledCommand(text)
  const api = apiClientOf(input)
  if (isFollowing) return followRecords(api, { query, signal: input.signal, terminal })
  const { calls, before } = await matchingCalls(api, query)
  if (terminal.json) return void terminal.printJson({ calls, ...(before !== undefined && { before }) })
  if (calls.length === 0) return void terminal.say(`No recorded calls match${await otherOutcomes(api, query)}`)
  terminal.print(table(['TIME', 'CALLER', 'TOOL', 'OUTCOME', 'MS', 'SEQUENCE'], calls.map(cells), terminal))
  if (before !== undefined) terminal.say('There are more calls. Narrow the search, or raise --limit')
}

type AuditFilter = ReturnType<typeof auditFilterOf>

/** As many calls as the limit allows. A page may be short, or empty, although older calls match. */
async function matchingCalls(api: ApiClient, query: AuditFilter): Promise<{ calls: JsonObject[]; before: number | undefined }> {
  const limit = Number(query.limit ?? usualCalls)
  const calls: JsonObject[] = []
  let before: number | undefined
  do {
    const page = await api.request('/audit', { query: { ...query, limit: limit - calls.length, before } })
    const next = numberIn(page, 'before')
    if (next !== undefined && before !== undefined && next >= before) throw searchStuck(api)
    calls.push(...listIn(page, 'calls'))
    before = next
  } while (before !== undefined && calls.length < limit)
  return { calls, before }
}

const searchStuck = ({ url }: ApiClient): CommandError =>
  new CommandError(
    `The search of the log does not proceed: the gateway at ${url} names a next page that is not older. Update the gateway`,
  )

/** The outcomes of the calls that match otherwise. A tool that says that it failed has another outcome than a call that failed. */
async function otherOutcomes(api: ApiClient, query: AuditFilter): Promise<string> {
  if (query.outcome === undefined) return ''
  const { calls } = await matchingCalls(api, { ...query, outcome: undefined, limit: mostCalls })
  const counts = new Map<string, number>()
  for (const call of calls) counts.set(outcomeOf(call), (counts.get(outcomeOf(call)) ?? 0) + 1)
  if (counts.size === 0) return ''
  const found = [...counts].map(([outcome, count]) => `${count} ${outcome}`).join(', ')
  return `. With other outcomes: ${found}. For their meaning see toolwire audit --help`
}

const outcomeOf = (call: JsonObject): string => stringIn(call, 'outcome') ?? 'open'

const subcommands = ['verify', 'witness', 'export']
const mostEdits = 2

/** A script that means to verify the log must not end with 0 because it has found nothing. */
function refuseMisspelledCommand(text: string | number | undefined): void {
  const word = String(text ?? '')
  const meant = plainText.nearest(
    word,
    subcommands.filter((name) => name[0] === word[0]),
    mostEdits,
  )
  if (meant === undefined) return
  throw usageProblem(
    `"${word}" is not a command; did you mean toolwire audit ${meant}? To search for the word, add a limit: --limit 50`,
  )
}

function cells(call: JsonObject): string[] {
  const [at, durationMs] = [numberIn(call, 'at'), numberIn(call, 'durationMs')]
  const outcome = outcomeOf(call)
  const note = stringIn(call, 'reason') ?? groundText(call)
  return [
    at === undefined ? '' : formatTime(at),
    stringIn(call, 'caller') ?? '',
    [stringIn(call, 'server'), stringIn(call, 'tool') ?? ''].filter((part) => part !== undefined).join(': '),
    note === undefined ? outcome : `${outcome} (${note})`,
    durationMs === undefined ? '' : String(Math.round(durationMs)),
    String(call.sequence ?? ''),
  ]
}
