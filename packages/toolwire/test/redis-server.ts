// A real Redis server on a free port. A test may stop, freeze and restart the server.
import { type ChildProcess, spawn, spawnSync } from 'node:child_process'
import { once } from 'node:events'
import { freePort } from './free-port.js'
import { killAtExit } from './kill-at-exit.js'

export const redisFound = spawnSync('redis-server', ['--version']).status === 0
if (!redisFound) {
  if (process.env.CI) throw new Error('redis-server is missing: apt-get install redis-server')
  console.warn('SKIPPED: no redis-server here, so nothing that replicas share is tested')
}

export type RedisServer = {
  readonly url: string
  kill(): Promise<void>
  start(): Promise<void>
  freeze(): void
  thaw(): void
}

export async function redisServer(): Promise<RedisServer> {
  const port = await freePort()
  let child = await started(port)
  return {
    url: `redis://127.0.0.1:${port}`,
    async kill() {
      const gone = once(child, 'exit')
      child.kill('SIGKILL')
      await gone
    },
    async start() {
      child = await started(port)
    },
    freeze: () => void child.kill('SIGSTOP'),
    thaw: () => void child.kill('SIGCONT'),
  }
}

async function started(port: number): Promise<ChildProcess> {
  const child = spawn('redis-server', ['--port', String(port), '--bind', '127.0.0.1', '--save', '', '--appendonly', 'no'])
  killAtExit(child)
  let said = ''
  for await (const chunk of child.stdout) {
    said += chunk
    if (said.includes('Ready to accept connections')) break
  }
  if (child.exitCode !== null) throw new Error(`redis-server did not start: ${said}`)
  return child
}
