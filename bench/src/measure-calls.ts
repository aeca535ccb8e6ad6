import { httpDriver } from './load-http.js'
import { stdioDriver } from './load-stdio.js'
import type { Reading, Run } from './measures.js'
import { type Lane, median, race, ratio, type Times } from './race.js'
import type { Subject } from './subjects.js'
import { add, type Question, type Revision } from './wire.js'

export interface Calls {
  readonly revision: Revision
  readonly question: Question
  readonly connections: number
  /** Number of tools besides the three that are measured. */
  readonly fillers: number
  /** Factor for the length of a turn, for answers so large that few fit in. */
  readonly stretch?: number
}

/** CPU per call over HTTP: the control's divided by the subject's. */
export async function measureCalls(run: Run, calls: Calls): Promise<readonly Reading[]> {
  const able = run.subjects.filter((subject) => subject.revisions.includes(calls.revision))
  const lanes = await lanesOf(run, able, (subject) => httpLane(run, subject, calls))
  const { pace } = run.options
  return againstControl(await race(lanes, { ...pace, sliceMs: pace.sliceMs * (calls.stretch ?? 1) }))
}

/** CPU per call over stdio: the control's divided by the subject's. */
export async function measureStdio(run: Run, inFlight: number): Promise<readonly Reading[]> {
  const able = run.subjects.filter((subject) => subject.stdioScript !== undefined)
  const lanes = await lanesOf(run, able, async (subject) => {
    const { pid, lines } = await run.fleet.stdio(subject)
    return { name: subject.name, peer: subject.peer, pid, driver: stdioDriver(lines, add, inFlight) }
  })
  return againstControl(await race(lanes, run.options.pace))
}

const crowded = ' among 1,000'

/** CPU per call with 3 tools divided by that with 1,000, of the same server. */
export async function measureCrowded(run: Run): Promise<readonly Reading[]> {
  const calls: Calls = { revision: '2025-11-25', question: add, connections: 32, fillers: 0 }
  const few = await lanesOf(run, run.subjects, (subject) => httpLane(run, subject, calls))
  const many = await lanesOf(run, run.subjects, (subject) => httpLane(run, subject, { ...calls, fillers: 997 }))
  const pairs = few.flatMap((lane) => {
    const other = many.find((each) => each.name === lane.name)
    return other ? [lane, { ...other, name: `${lane.name}${crowded}` }] : []
  })
  const times = await race(pairs, run.options.pace)
  return few.flatMap(({ name }) => {
    const among = times.get(`${name}${crowded}`)
    return among ? [{ subject: name, value: ratio(times.get(name)!.took, among.took), detail: micros(among.took) }] : []
  })
}

/** Lanes of the subjects that start. A peer that fails is left out with a message; the control and our own server must start. */
export async function lanesOf<T>(run: Run, subjects: readonly Subject[], open: (subject: Subject) => Promise<T>): Promise<T[]> {
  const lanes: T[] = []
  const opened = await Promise.allSettled(subjects.map(open))
  for (const [index, subject] of subjects.entries()) {
    const outcome = opened[index]!
    if (outcome.status === 'fulfilled') lanes.push(outcome.value)
    else if (subject.peer) run.tell(`${subject.name}: ${outcome.reason}`)
    else throw outcome.reason
  }
  return lanes
}

async function httpLane(run: Run, subject: Subject, { fillers, stretch: _, ...load }: Calls): Promise<Lane> {
  const { pid, port } = await run.fleet.http(subject, { TOOLS: String(fillers) })
  const driver = await httpDriver({ port, ...load })
  // One call before the race, so that an error for wrong answers names the server.
  await driver.run(0)
  return { name: subject.name, peer: subject.peer, pid, driver }
}

export function againstControl(times: Times): readonly Reading[] {
  return [...times].map(([subject, { took, base }]) => ({ subject, value: ratio(base, took), detail: micros(took) }))
}

function micros(times: readonly number[]): string {
  const time = median(times)
  return `${time < 100 ? time.toFixed(1) : Math.round(time)} µs`
}
