// Runs the official suite's server scenarios against replicas with the fixtures as their upstream.
import { spawn } from 'node:child_process'
import { fileURLToPath } from 'node:url'
import { freePort } from '../../packages/toolwire/test/free-port.js'
import type { PostgresServer } from '../../packages/toolwire/test/postgres-server.js'
import { startCluster } from './cluster/cluster.js'
import { killProcess, startProcess } from './cluster/processes.js'

const conformance = (name: string) => fileURLToPath(new URL(`../../conformance/dist/${name}.js`, import.meta.url))

const configFor = (url: string) => ({
  mcpServers: { fixtures: { type: 'http', url } },
  toolwire: {
    allowedHosts: ['localhost'],
    callers: { loopback: false, apiKeys: true },
    servers: { fixtures: { trusted: true, prefix: false } },
    guard: { rate: false, lists: false, sanitize: false, pins: false, approvals: false },
  },
})

/** Returns true if every scenario passes. */
export async function runConformance(replicas: number, postgres: PostgresServer | undefined): Promise<boolean> {
  const fixtures = startProcess(process.execPath, [conformance('server'), '--port', String(await freePort())])
  const url = (await fixtures.firstLine) ?? ''
  const cluster = await startCluster({ replicas, ...(postgres && { postgres }), config: configFor(url) })
  try {
    const words = [conformance('run'), '--side', 'gateway-http', '--url', cluster.url.replace('127.0.0.1', 'localhost')]
    const suite = spawn(process.execPath, words, { stdio: 'inherit' })
    return await new Promise((resolve) => suite.once('close', (code) => resolve(code === 0)))
  } finally {
    await cluster.close()
    await killProcess(fixtures)
  }
}
