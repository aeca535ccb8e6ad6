import { createServer, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'

type Address = { readonly host: string; readonly port: number }

/** Resolves with the address once the server listens. `advice` is appended to the error if the port is in use. */
export function listenAt(http: Server, { host, port }: Address, advice: string): Promise<AddressInfo> {
  return new Promise((resolve, reject) => {
    const fail = (thrown: NodeJS.ErrnoException) =>
      reject(thrown.code === 'EADDRINUSE' ? new Error(`Port ${port} of ${host} is in use${advice}`, { cause: thrown }) : thrown)
    http.once('error', fail)
    http.listen(port, host, () => resolve(http.address() as AddressInfo)) // it listens on TCP
  })
}

/** Rejects as `listenAt` does, but stops listening at once. */
export async function checkListens(address: Address): Promise<void> {
  const probe = createServer()
  await listenAt(probe, address, gatewayPortAdvice)
  await new Promise((resolve) => probe.close(resolve))
}

export const gatewayPortAdvice = '. Stop the other gateway or program, or choose another port with --port or TOOLWIRE_PORT'

/** Does an error of `listenAt` mean that the port is in use? */
export const isPortTaken = (thrown: unknown): boolean =>
  thrown instanceof Error && thrown.cause instanceof Error && 'code' in thrown.cause && thrown.cause.code === 'EADDRINUSE'
