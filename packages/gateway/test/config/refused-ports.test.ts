import { expect, it } from 'vitest'
import { refusedPorts, refusedPortWarnings } from '../../src/config/refused-ports.js'

it('the ports that are warned of are those that fetch refuses', async () => {
  const ports = [...refusedPorts].flatMap((port) => [port - 1, port, port + 1])
  const refusedByFetch = async (port: number) => {
    const cause: unknown = await fetch(`http://127.0.0.1:${port}`, { signal: AbortSignal.timeout(5_000) }).then(
      () => undefined,
      (thrown: Error) => thrown.cause,
    )
    return cause instanceof Error && cause.message === 'bad port'
  }
  for (const port of ports) expect([port, await refusedByFetch(port)]).toEqual([port, refusedPorts.has(port)])
})

it.each([
  [{ port: 4180, console: {} }, 0],
  [{ port: 4190, console: false as const }, 1],
  [{ port: 4180, console: { port: 6000 } }, 1],
  [{ port: 6000, console: { port: 4190 } }, 2],
])('%j has %i warnings', (ports, count) => expect(refusedPortWarnings(ports)).toHaveLength(count))
