// Several gateways with one vault key behind a round-robin load balancer.
import { createServer, request } from 'node:http'
import type { AddressInfo } from 'node:net'
import { join } from 'node:path'
import { onTestFinished } from 'vitest'
import { defaultGuard, type GatewayConfig } from '../../src/config/gateway-config.js'
import type { ReplicaAddress } from '../../src/http/replicas/replica-list.js'
import { openStore } from '../../src/store/open-store.js'
import { builtWorker } from './build-program.js'
import { folder, type Started, started } from './running-gateway.js'

const vaultKey = Buffer.alloc(32, 7).toString('base64')

export type ReplicaGateways = {
  /** The address of the load balancer. */
  readonly url: string
  readonly replicas: readonly Started[]
  /** The list of replicas that each gateway sees. A removed replica counts as dead. */
  readonly list: ReplicaAddress[]
  /** The number of requests that each replica has received. */
  readonly sent: readonly number[]
  /** Sets the replica for the next request; later requests continue from there. */
  turnTo(index: number): void
}

export async function replicaGateways(
  given: Partial<GatewayConfig>,
  { count = 3, key = (_: number) => vaultKey, known = (list: readonly ReplicaAddress[]) => list, refresh = async () => {} } = {},
): Promise<ReplicaGateways> {
  const list: ReplicaAddress[] = []
  const replicas: Started[] = []
  for (let index = 0; index < count; index++) {
    const dataDir = join(folder(), 'data')
    const store = await openStore(dataDir, { worker: await builtWorker(), vaultKey: key(index) })
    const self = `replica-${index}`
    const announce = (address: string) => void list.push({ id: self, address })
    const guard = { ...defaultGuard, approvals: false }
    replicas.push(
      await started({ guard, ...given, dataDir }, { store, replicas: { self, all: () => known(list), announce, refresh } }),
    )
  }
  return { ...(await roundRobin(replicas.map(({ port }) => port))), replicas, list }
}

/** Sends each request to the next port, with the Host header of that port. */
export async function roundRobin(ports: readonly number[]) {
  const sent = ports.map(() => 0)
  let turn = 0
  const distributor = createServer((req, res) => {
    const index = turn++ % ports.length
    sent[index] = (sent[index] ?? 0) + 1
    const port = ports[index]
    const headers = { ...req.headers, host: `127.0.0.1:${port}` }
    const passed = request({ host: '127.0.0.1', port, path: req.url, method: req.method, headers, agent: false }, (answer) => {
      res.writeHead(answer.statusCode ?? 502, answer.headers)
      // The headers of a stream have to be sent before its first event.
      res.flushHeaders()
      answer.on('error', () => res.destroy())
      answer.pipe(res)
    })
    passed.on('error', () => (res.headersSent ? res.destroy() : res.writeHead(502).end()))
    res.on('close', () => passed.destroy())
    req.pipe(passed)
  })
  await new Promise<void>((resolve) => distributor.listen(0, '127.0.0.1', resolve))
  onTestFinished(() => {
    distributor.closeAllConnections()
    distributor.close()
  })
  const { port } = distributor.address() as AddressInfo // it listens on TCP
  return {
    url: `http://127.0.0.1:${port}/mcp`,
    sent,
    turnTo: (index: number) => {
      turn = index
    },
  }
}
