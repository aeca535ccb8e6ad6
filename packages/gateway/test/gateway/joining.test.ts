// A second host on the same data directory: its lines go to the gateway that is there already.
import { once } from 'node:events'
import { existsSync, statSync, writeFileSync } from 'node:fs'
import { connect } from 'node:net'
import { join } from 'node:path'
import { PassThrough } from 'node:stream'
import { describe, expect, it, onTestFinished } from 'vitest'
import { defaultGuard } from '../../src/config/config.js'
import { HostLines } from '../../src/gateway/host-lines.js'
import { joinGateway } from '../../src/gateway/join.js'
import { linesOf } from '../../src/gateway/lines-of.js'
import { SideDoor, socketIn } from '../../src/gateway/side-door.js'
import { ask, child, eventually, folder, program, started, until, upstreamConfig } from './running.js'

const notes = () => upstreamConfig('notes', child(program('../gateway/notes-server.mjs')), { trusted: true })
const source = '/nowhere/mcp.json'

async function withSideDoor() {
  const dataDir = join(folder(), 'data')
  const gateway = await started({ upstreams: [notes()], guard: { ...defaultGuard, rate: false }, dataDir })
  const notesTaken: string[] = []
  const sideDoor = new SideDoor(gateway.server, { dataDir, source, onNote: (words) => notesTaken.push(words) })
  await sideDoor.open()
  onTestFinished(() => sideDoor.close())
  return { gateway, sideDoor, dataDir, notesTaken }
}

type Said = { id?: number; result?: { tools?: object[]; content?: object[] }; error?: { message: string }; method?: string }

async function host(dataDir: string, config: string | undefined = source) {
  const found = await joinGateway({ dataDir, source: config, waitMs: 0 })
  const stdio = { readable: new PassThrough(), writable: new PassThrough() }
  const said: Said[] = []
  void linesOf(stdio.writable, (line) => said.push(JSON.parse(line)))
  const lines = new HostLines(stdio)
  const send = (message: object) => stdio.readable.write(`${JSON.stringify({ jsonrpc: '2.0', ...message })}\n`)
  const over = found && lines.through(found.socket)
  return { found, lines, over, stdio, said, send, answer: (id: number) => eventually(() => said.find((one) => one.id === id)) }
}

const hello = (id: number) => ({
  id,
  method: 'initialize',
  params: { protocolVersion: '2025-11-25', capabilities: {}, clientInfo: { name: 'host', version: '1' } },
})
const modern = ({ params, ...message }: { params: object }) => ({
  ...message,
  params: {
    ...params,
    _meta: {
      'io.modelcontextprotocol/protocolVersion': '2026-07-28',
      'io.modelcontextprotocol/clientInfo': { name: 'host', version: '1' },
      'io.modelcontextprotocol/clientCapabilities': {},
    },
  },
})
const call = (id: number, name: string, args: object = {}) => ({ id, method: 'tools/call', params: { name, arguments: args } })

describe('a host whose process found the data directory taken', () => {
  it('is served by the gateway that has it, beside the first, behind the same guard', async () => {
    const { gateway, dataDir } = await withSideDoor()
    const [one, two] = await Promise.all([host(dataDir), host(dataDir)])
    for (const { send, answer } of [one, two]) {
      send(hello(1))
      await answer(1)
      send({ method: 'notifications/initialized' })
      send(call(2, 'notes__read'))
      expect((await answer(2)).result?.content).toEqual([{ type: 'text', text: 'nothing' }])
    }
    expect(one.found?.pid).toBe(process.pid)
    one.send(call(3, 'notes__write', { text: 'hi' }))
    await until(async () => ((await ask(gateway, '/approvals')).body.approvals as object[]).length === 1)
    const [waiting] = (await ask(gateway, '/approvals')).body.approvals as { id: string }[]
    await ask(gateway, `/approvals/${waiting?.id}`, { body: { decision: 'allow' } })
    expect((await one.answer(3)).result?.content).toEqual([{ type: 'text', text: 'written: hi' }])
    const { calls } = (await ask(gateway, '/audit?tool=notes__write')).body as { calls: { caller: string }[] }
    expect(calls.map(({ caller }) => caller)).toEqual(['local'])
  })

  it('hears from no other host, and leaves without harm to it', async () => {
    const { dataDir } = await withSideDoor()
    const [one, two] = await Promise.all([host(dataDir), host(dataDir)])
    for (const { send } of [one, two]) send(hello(1))
    await Promise.all([one.answer(1), two.answer(1)])
    one.stdio.readable.end()
    await one.over
    two.send(call(2, 'notes__read'))
    await two.answer(2)
    expect([one.said.map(({ id }) => id), two.said.map(({ id }) => id)]).toEqual([[1], [1, 2]])
  })

  it('gets its last answers after it has said its last word', async () => {
    const { dataDir } = await withSideDoor()
    const one = await host(dataDir)
    one.send(hello(1))
    one.send(call(2, 'notes__slow', { ms: 300 }))
    one.stdio.readable.end()
    await one.over
    expect(one.said.map(({ id }) => id)).toEqual([1, 2])
  })

  it.each([
    '2025-11-25',
    '2026-07-28',
  ])('goes on with the next gateway in %s, and hears that what was under way is lost', async (revision) => {
    const { dataDir, sideDoor } = await withSideDoor()
    const one = await host(dataDir)
    const isOlder = revision === '2025-11-25'
    if (isOlder) one.send(hello(1))
    if (isOlder) await one.answer(1)
    if (isOlder) one.send({ method: 'notifications/initialized' })
    const asked = (id: number, name: string, args = {}) => one.send(isOlder ? call(id, name, args) : modern(call(id, name, args)))
    asked(2, 'notes__slow', { ms: 60_000 })
    await until(() => sideDoor.hosts === 1)
    await new Promise((resolve) => setTimeout(resolve, 200))
    await sideDoor.close()
    await one.over
    expect((await one.answer(2)).error?.message).toMatch(/outcome_unknown/)
    // While there is none, it says something, which waits.
    asked(3, 'notes__read')
    const next = await withSideDoor()
    const found = await joinGateway({ dataDir: next.dataDir, source, waitMs: 0 })
    if (found) void one.lines.through(found.socket)
    expect((await one.answer(3)).result?.content).toEqual([{ type: 'text', text: 'nothing' }])
    asked(4, 'notes__read')
    await one.answer(4)
    expect(one.said.map(({ id }) => id)).toEqual(isOlder ? [1, 2, 3, 4] : [2, 3, 4])
  })

  it('is refused where its config is another: it would get servers that it does not know', async () => {
    const { dataDir } = await withSideDoor()
    await expect(host(dataDir, '/elsewhere/mcp.json')).rejects.toThrow(
      /in use by the gateway with the config \/nowhere.*--data-dir/,
    )
  })

  it('finds nobody where nobody is, or where one was killed', async () => {
    const dataDir = folder()
    expect((await host(dataDir)).found).toBeUndefined()
    writeFileSync(socketIn(dataDir), '')
    expect((await host(dataDir)).found).toBeUndefined()
  })
})

describe('the way in', () => {
  it('is open to its owner alone, and gone afterwards', async () => {
    const { dataDir, sideDoor } = await withSideDoor()
    expect(statSync(socketIn(dataDir)).mode & 0o777).toBe(0o600)
    await sideDoor.close()
    expect(existsSync(socketIn(dataDir))).toBe(false)
  })

  it.each([
    'GET / HTTP/1.1\r\n',
    '{"config":4711}\n',
    'null\n',
    `${'x'.repeat(70_000)}`,
  ])('lets nobody in who says %.20j', async (words) => {
    const { dataDir } = await withSideDoor()
    const socket = connect(socketIn(dataDir))
    socket.write(words)
    const [answer] = await once(socket, 'data')
    expect(JSON.parse(String(answer))).toEqual({ refused: 'this is no host' })
    socket.destroy()
  })

  it('is none where the path is too long, and the gateway says so', async () => {
    const sideDoor = new SideDoor((await started()).server, {
      dataDir: join(folder(), 'x'.repeat(120)),
      source,
      onNote: (words) => said.push(words),
    })
    const said: string[] = []
    await sideDoor.open()
    expect(said).toEqual([expect.stringContaining('cannot be served')])
    await sideDoor.close()
  })
})
