// A server with the fixtures in a child process, on its own port.
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { createServer } from 'node:net'
import { fileURLToPath } from 'node:url'

/** The path of a program in this folder. */
export const program = (name: string): string => fileURLToPath(new URL(name, import.meta.url))
const patienceMs = 60_000

export type FixturesServer = AsyncDisposable & { readonly url: string }

export const startFixtures = (): Promise<FixturesServer> => startServer('./server.js')

/** Starts a server on a free port, and waits until it prints its address. */
export async function startServer(name: string, args: readonly string[] = []): Promise<FixturesServer> {
  const port = await freePort()
  const server = spawn(process.execPath, [program(name), '--port', String(port), ...args], {
    stdio: ['ignore', 'pipe', 'inherit'],
  })
  const gone = once(server, 'exit').then(([code]) =>
    Promise.reject(new Error(`${name} ended with exit code ${code} before it listened`)),
  )
  const [line] = await Promise.race([once(server.stdout, 'data', { signal: AbortSignal.timeout(patienceMs) }), gone])
  gone.catch(() => undefined) // after this the exit is expected
  return {
    url: String(line).trim(),
    async [Symbol.asyncDispose]() {
      server.kill()
      if (server.exitCode === null && server.signalCode === null) await once(server, 'exit')
    },
  }
}

async function freePort(): Promise<number> {
  const probe = createServer().listen(0, 'localhost')
  await once(probe, 'listening')
  const address = probe.address()
  probe.close()
  if (typeof address !== 'object' || address === null) throw new Error('The system gave no port')
  return address.port
}
