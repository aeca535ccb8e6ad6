import { httpDriver } from './load-http.js'
import type { Reading, Run } from './measures.js'
import { type Lane, median, race, ratio, warm } from './race.js'
import { toolwire } from './subjects.js'
import { add } from './wire.js'

/** CPU per call over HTTP with the guard, divided by that with every policy off, of the same server. */
export async function measureGuard(run: Run, how: 'full' | 'usual'): Promise<readonly Reading[]> {
  const lanes = await Promise.all([laneOf(run, 'none'), laneOf(run, how)])
  const times = await race(lanes, warm(run.options.pace))
  const { took: guarded, base: none } = times.get(how)!
  const detail = `${median(none).toFixed(1)} -> ${median(guarded).toFixed(1)} µs`
  return [{ subject: toolwire.name, value: 1 / ratio(none, guarded), detail }]
}

async function laneOf(run: Run, guard: string): Promise<Lane> {
  const { pid, port } = await run.fleet.http(toolwire, { TOOLS: '0', GUARD: guard })
  const driver = await httpDriver({ port, revision: '2026-07-28', question: add, connections: 32 })
  await driver.run(0)
  return { name: guard, peer: false, pid, driver }
}
