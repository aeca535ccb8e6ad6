import { httpDriver } from './load-http.js'
import { againstControl } from './measure-calls.js'
import type { Reading, Run } from './measures.js'
import { type Lane, race, warm } from './race.js'
import { control, type Subject, toolwire } from './subjects.js'
import { add } from './wire.js'

/** CPU per relayed call: a bare proxy's divided by the gateway's. Both relay to the bare server. */
export async function measureGateway(run: Run, upstream: 'http' | 'stdio', guard: 'none' | 'full'): Promise<readonly Reading[]> {
  const { port } = await run.fleet.http(control, { TOOLS: '0' })
  const bare = await laneOf(run, { ...control, httpScript: 'control-proxy.js' }, { UPSTREAM: String(port) })
  const where = upstream === 'http' ? String(port) : upstream
  const ours = await laneOf(run, { ...toolwire, httpScript: 'gateway.js' }, { UPSTREAM: where, GUARD: guard })
  return againstControl(await race([bare, ours], warm(run.options.pace)))
}

async function laneOf(run: Run, subject: Subject, env: Record<string, string>): Promise<Lane> {
  const { pid, port } = await run.fleet.http(subject, env)
  const driver = await httpDriver({ port, revision: '2026-07-28', question: add, connections: 32 })
  await driver.run(0)
  return { name: subject.name, peer: false, pid, driver }
}
