import type { Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import type { ConsoleConfig } from '../config/gateway-config.js'

export const defaultConsolePort = 4181

/** At the port that was asked for; else at the usual one, or any that is free. Resolves with the port. */
export async function listenConsole(http: Server, config: ConsoleConfig): Promise<number> {
  const { host, port } = config
  try {
    return await listenAt(http, host, port ?? defaultConsolePort)
  } catch (thrown) {
    if (!isTaken(thrown)) throw thrown
    if (port !== undefined) throw unavailable(thrown, config)
    return listenAt(http, host, 0)
  }
}

function listenAt(http: Server, host: string, port: number): Promise<number> {
  return new Promise((resolve, reject) => {
    http.once('error', reject)
    http.listen(port, host, () => {
      http.off('error', reject)
      resolve((http.address() as AddressInfo).port) // it listens on TCP
    })
  })
}

const isTaken = (thrown: unknown): boolean => thrown instanceof Error && 'code' in thrown && thrown.code === 'EADDRINUSE'

const unavailable = (cause: unknown, { host, port }: ConsoleConfig): Error =>
  new Error(
    `Port ${port} of ${host} is taken, so the console cannot be there: choose another by --console-port or TOOLWIRE_CONSOLE_PORT`,
    { cause },
  )
