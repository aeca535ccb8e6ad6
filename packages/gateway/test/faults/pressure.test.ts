// Shortage of file descriptors and of memory.
import { execFileSync } from 'node:child_process'
import { Agent, request } from 'node:http'
import { connect, type Socket } from 'node:net'
import { describe, expect, it } from 'vitest'
import { ask } from '../support/running-gateway.js'
import { type Program, programFolder, startProgram } from './built-program.js'
import { Crowd } from './crowd.js'
import { childPeer, isAlive, pidsIn } from './peer.js'
import { rawCall } from './raw.js'
import { beside } from './start-with-bad-server.js'
import { until } from './waiting.js'

const settings = { guard: { rate: false, lists: false, approvals: false } }

/** Calls a tool over a connection of the agent. */
function called({ port }: Program, agent: Agent, name: string, args: object): Promise<string> {
  return new Promise((resolve, reject) => {
    const { headers, body } = rawCall(name, args)
    const call = request({ host: '127.0.0.1', port, path: '/mcp', method: 'POST', headers, agent }, (response) => {
      let text = ''
      response.setEncoding('utf8').on('data', (piece) => {
        text += piece
      })
      response.on('end', () => resolve(text)).on('error', reject)
    })
    call.on('error', reject).end(body)
  })
}

async function goodCalls(gateway: Program, agent: Agent): Promise<void> {
  const numbers = Array.from({ length: 100 }, (_, n) => n)
  const sums = await Promise.all(numbers.map((n) => called(gateway, agent, 'good__sum', { a: n, b: 1 })))
  expect(sums.map((sum) => JSON.parse(sum.replace(/^.*?data: /s, '')).result.content[0].text)).toEqual(
    numbers.map((n) => String(n + 1)),
  )
}

describe('row 19: file descriptors that are used up', () => {
  it('new callers are refused, connected ones are served, and the gateway recovers', async () => {
    const bad = childPeer('none', 'per-request')
    const servers = { bad: bad.target, good: childPeer('none', 'per-request').target }
    const gateway = await startProgram({ folder: programFolder(), servers, settings })
    // The limit is set after the start, because Node opens more files while it loads a program.
    execFileSync('prlimit', ['--pid', String(gateway.process.pid), '--nofile=96'])
    const agent = new Agent({ keepAlive: true, maxSockets: 4 })
    await goodCalls(gateway, agent)
    const crowd = await holdConnections(gateway, 200)
    await until(() => crowd.closed() > 0)
    // A server that has to be restarted needs file descriptors, of which none is left.
    const [pid = 0] = pidsIn(bad.notes())
    process.kill(pid, 'SIGKILL')
    await until(() => !isAlive(pid))
    await goodCalls(gateway, agent)
    expect(gateway.process.exitCode).toBeNull()
    crowd.end()
    agent.destroy()
    await until(async () => isReady((await ask(gateway, '/servers').catch(() => undefined))?.body), 60_000)
    const others = new Agent({ keepAlive: true, maxSockets: 8 })
    await goodCalls(gateway, others)
    others.destroy()
    expect((await ask(gateway, '/audit/verify')).body).toMatchObject({ ok: true })
  })

  const isReady = (body: unknown) => {
    const { servers = [] } = (body ?? {}) as { servers?: { state: string }[] }
    return servers.length > 0 && servers.every(({ state }) => state === 'ready')
  }

  /** Opens connections and only holds them. */
  async function holdConnections({ port }: Program, many: number) {
    const sockets: Socket[] = []
    let closed = 0
    for (let n = 0; n < many; n++) {
      const socket = connect(port, '127.0.0.1')
      socket.on('error', () => undefined).on('close', () => closed++)
      sockets.push(socket)
    }
    return {
      closed: () => closed,
      end: () => {
        for (const socket of sockets) socket.destroy()
      },
    }
  }
})

describe('row 19: memory that is used up', () => {
  it('further calls are refused, the gateway survives, and it recovers', async () => {
    const servers = { bad: childPeer('holds', 'per-request').target, good: childPeer('none', 'per-request').target }
    const node = ['--max-old-space-size=128']
    const gateway = await startProgram({
      folder: programFolder(),
      servers,
      settings: { guard: settings.guard, servers: { bad: { trusted: true, timeout: { idleMs: 5_000, totalMs: 5_000 } } } },
      node,
    })
    const crowd = await Crowd.start(gateway.url)
    try {
      const much = { what: 'send much', callers: 60, name: 'bad__bad', bytes: 3_000_000 } as const
      const { answered, refused, others } = await beside(gateway.url, () => crowd.asks(much))
      // The server holds its calls until they time out, so some are answered and others refused.
      expect(answered).toBeGreaterThan(0)
      expect(refused).toBeGreaterThan(0)
      // Each call ends with a response, even on a slow machine.
      expect(others).toEqual([])
      expect(await crowd.asks({ ...much, callers: 1 })).toMatchObject({ answered: 1, refused: 0 })
      expect(gateway.process.exitCode).toBeNull()
      expect((await ask(gateway, '/audit/verify')).body).toMatchObject({ ok: true })
    } finally {
      await crowd.end()
    }
  })
})
