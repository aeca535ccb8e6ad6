import { once } from 'node:events'
import { writeFileSync } from 'node:fs'
import { createConnection } from 'node:net'
import { join } from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'
import { freePort } from '../../../packages/toolwire/test/free-port.js'
import type { SessionLost } from '../history.js'
import { type Running, startProcess } from './processes.js'

type Balancing = {
  readonly folder: string
  readonly replicas: readonly number[]
  readonly readyPath: string
  /** The key that the balancer adds for clients without one. */
  readonly apiKey?: string | undefined
}

export type Balancer = {
  readonly url: string
  readonly running: Running
  /** Requests with a session id that got a 404. */
  lostSessions(): SessionLost[]
}

/** Round robin without affinity. A request is retried elsewhere only if no connection was made, so none is sent twice. */
export const balancerConfig = (port: number, { replicas, readyPath, apiKey }: Omit<Balancing, 'folder'>): string => `global
  maxconn 2000
  log stderr format raw local0
defaults
  mode http
  timeout connect 2s
  timeout client 120s
  timeout server 120s
  timeout check 1s
  retries 3
  retry-on conn-failure
  option redispatch 1
frontend clients
  bind 127.0.0.1:${port}
  log global
  http-request capture req.hdr(mcp-session-id) len 24
  http-response set-log-level silent unless { status 404 }
  log-format "%ST %Ts%ms session %[capture.req.hdr(0)]"
  option forwardfor${apiKey === undefined ? '' : `\n  http-request set-header x-api-key ${apiKey}`}
  default_backend replicas
backend replicas
  balance roundrobin
  option httpchk GET ${readyPath}
  http-check expect status 200
  http-reuse never
${replicas.map((one, at) => `  server replica${at} 127.0.0.1:${one} check inter 300ms fall 2 rise 1`).join('\n')}
`

export async function startBalancer({ folder, replicas, readyPath, apiKey }: Balancing): Promise<Balancer> {
  const port = await freePort()
  const file = join(folder, 'haproxy.cfg')
  writeFileSync(file, balancerConfig(port, { replicas, readyPath, apiKey }))
  const running = startProcess('haproxy', ['-db', '-f', file])
  while (!(await listens(port))) {
    if (running.hasEnded) throw new Error(`HAProxy has ended: ${running.log()}`)
    await pause(20)
  }
  return { url: `http://127.0.0.1:${port}`, running, lostSessions: () => lostSessionsIn(running.log()) }
}

const lostSessionsIn = (log: string): SessionLost[] =>
  [...log.matchAll(/^404 (\d+) session (?!-$)(\S+)$/gm)].map(([, at, session = '']) => ({
    kind: 'session-lost',
    session,
    at: Number(at),
  }))

async function listens(port: number): Promise<boolean> {
  const socket = createConnection(port, '127.0.0.1')
  const how = await Promise.race([once(socket, 'connect'), once(socket, 'error').then(() => undefined)]).catch(() => undefined)
  socket.destroy()
  return how !== undefined
}
