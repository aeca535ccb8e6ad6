import { setTimeout as sleep } from 'node:timers/promises'
import { httpDriver } from './load-http.js'
import { openStreams, type Streams } from './load-streams.js'
import { lanesOf } from './measure-calls.js'
import type { Reading, Run } from './measures.js'
import { residentBytes } from './processes.js'
import { median, ratio } from './race.js'
import { control, type Subject } from './subjects.js'
import { add, type Revision } from './wire.js'

const count = 1000
const settleMs = 1000

interface Watched {
  readonly name: string
  readonly streams: Streams
  readonly kibEach: number
}

/** Notifying 1,000 open streams of a change: time, the subject's divided by the control's; and memory per stream. */
export async function measureStreams(run: Run): Promise<readonly (readonly Reading[])[]> {
  const able = run.subjects.filter((subject) => subject.streams !== undefined)
  const watched: Watched[] = []
  // In sequence: a server with too little CPU collects its garbage later, and appears larger.
  for (const subject of able) watched.push(...(await lanesOf(run, [subject], (each) => watch(run, each))))
  const times = new Map<string, number[]>(watched.map(({ name }) => [name, []]))
  // The first change warms up.
  for (const { streams } of watched) await streams.tell()
  for (let round = 0; round < run.options.repeats.tells; round += 1) {
    for (const { name, streams } of watched) times.get(name)?.push(await streams.tell())
  }
  for (const { streams } of watched) streams.close()
  return [timeReadings(times), watched.map(({ name, kibEach }) => memoryReading(name, kibEach))]
}

async function watch({ fleet }: Run, subject: Subject): Promise<Watched> {
  const { pid, port } = await fleet.http(subject, { STREAMS: '1' })
  const revision = subject.streams ?? '2026-07-28'
  await warmUp(port, revision)
  const before = residentBytes(pid)
  const streams = await openStreams({ port, revision, count })
  await sleep(settleMs)
  return { name: subject.name, streams, kibEach: (residentBytes(pid) - before) / count / 1024 }
}

/** Makes ordinary calls first, so that one-time allocations do not count as memory of the streams. */
async function warmUp(port: number, revision: Revision): Promise<void> {
  const driver = await httpDriver({ port, revision, question: add, connections: 32 })
  await driver.run(300)
  driver.close()
  await sleep(100)
}

function timeReadings(times: ReadonlyMap<string, readonly number[]>): readonly Reading[] {
  const base = times.get(control.name)!
  return [...times].map(([subject, took]) => ({ subject, value: 1 / ratio(base, took), detail: `${median(took).toFixed(1)} ms` }))
}

function memoryReading(subject: string, kib: number): Reading {
  return { subject, value: kib, detail: `${kib.toFixed(1)} KiB` }
}
