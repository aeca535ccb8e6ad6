// A gateway with many upstreams: a long list of tools, and a start with many connections.
import type { Reading, Run } from './measures.js'
import { cpuMicros, startHttp } from './processes.js'
import { median } from './race.js'
import { control, toolwire } from './subjects.js'
import { listFrom, messageText, modernHeaders, type Result } from './wire.js'

const servers = 10
const toolsOfEach = 1_000
/** Number of tools of every control besides its filler tools. */
const always = 3

/** CPU of the gateway per page of tools/list with 10,000 tools: all pages in sequence, several times. */
export async function measureLongList(run: Run): Promise<readonly Reading[]> {
  const { port } = await run.fleet.http(control, { TOOLS: String(toolsOfEach) })
  const env = { UPSTREAM: String(port), UPSTREAMS: String(servers), GUARD: 'open' }
  const gateway = await run.fleet.http({ ...toolwire, httpScript: 'gateway.js' }, env)
  await untilListed(gateway.port, servers * (toolsOfEach + always))
  const before = cpuMicros(gateway.pid)
  let pages = 0
  for (let walk = 0; walk < run.options.pace.rounds; walk++) pages += (await walkThrough(gateway.port)).pages
  const ms = (cpuMicros(gateway.pid) - before) / pages / 1_000
  return [{ subject: toolwire.name, value: ms, detail: `${pages} pages` }]
}

const connected = 20

/** Time from the start of the gateway until all tools of its running upstreams are listed. */
export async function measureGatewayStart(run: Run): Promise<readonly Reading[]> {
  const { port } = await run.fleet.http(control, { TOOLS: '0' })
  const times: number[] = []
  for (let round = 0; round < run.options.repeats.starts; round++) {
    const started = performance.now()
    const gateway = await startHttp('gateway.js', { UPSTREAM: String(port), UPSTREAMS: String(connected), GUARD: 'open' })
    await untilListed(gateway.port, connected * always)
    times.push((performance.now() - started) / 1_000)
    process.kill(gateway.pid, 'SIGKILL')
  }
  return [{ subject: toolwire.name, value: median(times), detail: `${times.length} starts` }]
}

const longestMs = 30_000

async function untilListed(port: number, count: number): Promise<void> {
  const end = performance.now() + longestMs
  for (let listed = 0; listed !== count; listed = (await walkThrough(port)).tools)
    if (performance.now() > end) throw new Error(`The gateway lists ${listed} tools after ${longestMs} ms, not ${count}`)
}

/** Reads all pages of tools/list. */
async function walkThrough(port: number): Promise<{ pages: number; tools: number }> {
  let tools = 0
  let cursor: string | undefined
  for (let pages = 1; ; pages++) {
    const page = await pageAt(port, cursor)
    tools += page.tools?.length ?? 0
    cursor = page.nextCursor
    if (cursor === undefined) return { pages, tools }
  }
}

type Page = Result & { readonly nextCursor?: string }

async function pageAt(port: number, cursor: string | undefined): Promise<Page> {
  const question = listFrom(cursor)
  const headers = {
    'content-type': 'application/json',
    accept: 'application/json, text/event-stream',
    ...modernHeaders(question),
  }
  const body = messageText(question, '2026-07-28')(1_000_000)
  const answer = await fetch(`http://127.0.0.1:${port}/mcp`, { method: 'POST', headers, body })
  const { result } = (await answer.json()) as { result?: Page }
  if (!result) throw new Error(`tools/list was answered with ${answer.status}`)
  return result
}
