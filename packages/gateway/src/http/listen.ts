import { createServer, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'

type Address = { readonly host: string; readonly port: number }

/** Resolves with where it listens. If the port is taken, throws what is said about that. */
export function listenAt(http: Server, { host, port }: Address, taken: string): Promise<AddressInfo> {
  return new Promise((resolve, reject) => {
    const fail = (thrown: NodeJS.ErrnoException) =>
      reject(thrown.code === 'EADDRINUSE' ? new Error(`Port ${port} of ${host} is taken${taken}`, { cause: thrown }) : thrown)
    http.once('error', fail)
    http.listen(port, host, () => resolve(http.address() as AddressInfo)) // it listens on TCP
  })
}

/** Rejects as `listenAt` would, and does not stay there. */
export async function checkListens(address: Address): Promise<void> {
  const probe = createServer()
  await listenAt(probe, address, gatewayPortTaken)
  await new Promise((resolve) => probe.close(resolve))
}

export const gatewayPortTaken = ': another gateway may run already. Stop it, or choose another port by --port or TOOLWIRE_PORT'

/** Whether an error of `listenAt` says that the port is taken. */
export const isPortTaken = (thrown: unknown): boolean =>
  thrown instanceof Error && thrown.cause instanceof Error && 'code' in thrown.cause && thrown.cause.code === 'EADDRINUSE'
