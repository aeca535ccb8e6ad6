// A person approves through a real client over a real transport, in every revision.

import type { AddressInfo } from 'node:net'
import { createServer } from 'node:net'
import { type Client, type ConnectOptions, connect } from 'toolwire/client'
import { listen } from 'toolwire/node'
import { wire } from 'toolwire/relay'

import { afterEach, describe, expect, it } from 'vitest'
import type { FormAsked } from '../../../src/client/client.js'
import { every, since } from '../../revisions.js'
import '../../reported-faults.js'
import { bank } from './bank.js'

const open: (() => unknown)[] = []
afterEach(async () => {
  for (const close of open.splice(0).reverse()) await close()
})

type App = ReturnType<typeof bank>['app']
type Wire = (app: App, options: ConnectOptions) => Promise<Client>

const overHttp: Wire = async (app, options) => {
  const listening = await listen(app, { signals: false })
  open.push(() => listening.close())
  return connect(listening.url, options)
}

/** A child process that connects its standard streams to the server in this process. */
const relay = "const s=require('net').connect(+process.argv[1],'127.0.0.1');process.stdin.pipe(s);s.pipe(process.stdout)"

const overStdio: Wire = async (app, options) => {
  const server = createServer((socket) => void wire.serveLines(app, { readable: socket, writable: socket }))
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  open.push(() => new Promise((resolve) => server.close(resolve)))
  const { port } = server.address() as AddressInfo // the server listens on TCP
  return connect({ command: process.execPath, args: ['-e', relay, String(port)] }, options)
}

const inMemory: Wire = (app, options) => connect(app, options)

const wires: [string, Wire][] = [
  ['HTTP', overHttp],
  ['stdio', overStdio],
  ['memory', inMemory],
]

/** A client whose person gives these answers in order. */
async function connected(app: App, wire: Wire, { revision, says }: { revision: string; says: string[] }) {
  const asked: FormAsked[] = []
  const form = (question: FormAsked) => ({
    action: 'accept' as const,
    content: { decision: says[asked.push(question) - 1] ?? 'deny' },
  })
  const client = await wire(app, { revision, answers: { form } })
  open.push(() => client.close())
  return { asked, client }
}

describe.each(wires)('over %s', (_, wire) => {
  it.each(since('2025-06-18'))('UX-001 UX-004 UX-005 SECC-002 the person at the client decides, %s', async (revision) => {
    const { app, paid } = bank()
    const { client, asked } = await connected(app, wire, { revision, says: ['allow', 'deny', 'allow'] })
    expect(await client.call('pay', { amount: 1 })).toMatchObject({ content: [{ text: 'paid 1' }] })
    expect(await client.call('pay', { amount: 2 })).toMatchObject({
      isError: true,
      content: [{ text: expect.stringContaining('denied') }],
    })
    expect(await client.call('pay', { amount: 3 })).toMatchObject({ content: [{ text: 'paid 3' }] })
    expect(paid).toEqual([1, 3])
    expect(asked.map(({ message }) => /"amount": (\d)/.exec(message)?.[1])).toEqual(['1', '2', '3'])
  })

  it.each(every)('SECC-001 a client that cannot ask a person is refused, %s', async (revision) => {
    const { app, paid } = bank()
    const client = await wire(app, { revision })
    open.push(() => client.close())
    const { isError, content } = await client.call('pay', { amount: 1 })
    expect([isError, JSON.stringify(content)]).toEqual([true, expect.stringContaining('cannot ask its user')])
    expect(paid).toEqual([])
  })
})
