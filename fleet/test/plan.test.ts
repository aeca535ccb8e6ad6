import { spawnSync } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, it, onTestFinished } from 'vitest'
import { balancerConfig, startBalancer } from '../src/cluster/haproxy.js'
import { killProcess } from '../src/cluster/processes.js'
import { faults } from '../src/faults/faults.js'
import { planFor } from '../src/faults/plan.js'

const namesOf = (seed: number, runs: number) =>
  Array.from({ length: runs }, (_, run) => planFor(run, { seed, faults, each: 2 }).map(({ name }) => name)).flat()

it('the same seed gives the same faults, and another seed gives others', () => {
  expect(namesOf(42, 20)).toEqual(namesOf(42, 20))
  expect(namesOf(42, 20)).not.toEqual(namesOf(43, 20))
})

it('every fault is used before one is repeated', () => {
  const names = namesOf(7, faults.length).slice(0, faults.length)
  expect([...names].sort()).toEqual(faults.map(({ name }) => name).sort())
})

it.skipIf(spawnSync('haproxy', ['-v']).error !== undefined)('HAProxy accepts the config of the balancer', () => {
  const folder = mkdtempSync(join(tmpdir(), 'toolwire-haproxy-'))
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }))
  const file = join(folder, 'haproxy.cfg')
  for (const apiKey of [undefined, 'tw_key']) {
    writeFileSync(file, balancerConfig(44_443, { replicas: [1_001, 1_002], readyPath: '/readyz', apiKey }))
    const { status, stdout, stderr } = spawnSync('haproxy', ['-c', '-q', '-f', file], { encoding: 'utf8' })
    expect({ status, said: `${stdout}${stderr}` }).toEqual({ status: 0, said: '' })
  }
})

it.skipIf(spawnSync('haproxy', ['-v']).error !== undefined)('HAProxy logs the sessions that were unknown', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'toolwire-haproxy-'))
  const replica = createServer(({ url, headers }, response) => {
    response.writeHead(url === '/readyz' || headers['mcp-session-id'] === 'known' ? 200 : 404).end()
  }).listen(0, '127.0.0.1')
  await once(replica, 'listening')
  const { port } = replica.address() as AddressInfo // it listens on a port
  const balancer = await startBalancer({ folder, replicas: [port], readyPath: '/readyz' })
  onTestFinished(async () => {
    await killProcess(balancer.running)
    replica.close()
    rmSync(folder, { recursive: true, force: true })
  })
  const before = Date.now()
  const sessions: Record<string, string>[] = [{}, { 'mcp-session-id': 'known' }, { 'mcp-session-id': '-lost' }]
  for (const session of sessions) await fetch(`${balancer.url}/mcp`, { method: 'POST', headers: session })
  await expect.poll(() => balancer.lostSessions()).toMatchObject([{ kind: 'session-lost', session: '-lost' }])
  expect(balancer.lostSessions()[0]?.at).toBeGreaterThanOrEqual(before)
})
