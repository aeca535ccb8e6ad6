// Cancellation, by a separate POST, of requests that belong to no session.
import { describe, expect, it } from 'vitest'
import { server, tool } from '../../src/index.js'
import { type HttpOptions, listen } from '../../src/node.js'
import { forwardingHeaders } from '../../src/transports/http/server/access/client-address.js'
import { fetchHandler } from '../../src/transports/http/server/fetch/fetch-handler.js'
import { call, modern, selfDescribing, until, versions } from './fixture.js'
import { HttpPeer, messagesIn } from './peers.js'

/** A server with a tool that runs until it is released or cancelled. */
function shop() {
  const seen = { begun: 0, cancelled: 0 }
  let release!: (said: string) => void
  const released = new Promise<string>((resolve) => {
    release = resolve
  })
  const hold = tool({
    description: 'Waits',
    run: (_, ctx) => {
      seen.begun++
      ctx.progress(1)
      ctx.signal.addEventListener('abort', () => seen.cancelled++)
      return Promise.race([released, new Promise<string>((resolve) => ctx.signal.addEventListener('abort', () => resolve('')))])
    },
  })
  return { seen, release: () => release('done'), app: server({ name: 'shop', version: '1', tools: { hold } }) }
}

const overFetch = ({ app }: ReturnType<typeof shop>, options: HttpOptions) =>
  new HttpPeer('http://localhost/', fetchHandler(app['~application'], options))

const sessionless: HttpOptions = {
  sessionless: true,
  authenticate: ({ header }) => ({ id: header('authorization') ?? 'none', scopes: [] }),
}
const ann = { authorization: 'ann' }
const holdCall = (id: number) => call(id, 'hold', {}, { _meta: { progressToken: id } })
const cancel = (requestId: number) => ({ jsonrpc: '2.0', method: 'notifications/cancelled', params: { requestId } })

/** Posts a message of that revision, which names it in its header, or also in the message. */
function post(peer: HttpPeer, version: string, message: object, headers: Record<string, string> = {}): Promise<Response> {
  const said = version === modern ? selfDescribing(message as { params?: object }) : message
  return peer.post(JSON.stringify(said), said, { 'mcp-protocol-version': version, ...headers })
}
const answersIn = async (response: Response) =>
  messagesIn(response.headers.get('content-type'), await response.text()).filter(({ id }) => id !== undefined)

const batches = '2025-03-26'
/** The revision, what is cancelled, its messages and the cancellation. */
const cases: readonly [string, string, object, object][] = [
  ...[...versions, modern].map((version): [string, string, object, object] => [version, 'a call', holdCall(2), cancel(2)]),
  [batches, 'the calls of a batch', [holdCall(2), holdCall(3)], [cancel(2), cancel(3)]],
]

describe.each(cases)('at %s, %s without a session', (version, _, calls, cancellation) => {
  it('CANC-005 PKT-007 ends without an answer when its caller cancels it', async () => {
    const served = shop()
    const peer = overFetch(served, sessionless)
    const size = [calls].flat().length
    const going = post(peer, version, calls, ann)
    await until(() => served.seen.begun === size)
    expect((await post(peer, version, cancellation, { authorization: 'bob' })).status).toBe(202)
    expect(served.seen.cancelled).toBe(0)
    expect((await post(peer, version, cancellation, ann)).status).toBe(202)
    expect(served.seen.cancelled).toBe(size)
    expect(await answersIn(await going)).toEqual([])
  })
})

it('CANC-005 a queued request of a batch without a session never begins if it is cancelled', async () => {
  const served = shop()
  const peer = overFetch(served, sessionless)
  // At most four requests of a batch run at once.
  const going = post(peer, batches, [1, 2, 3, 4, 5].map(holdCall), ann)
  await until(() => served.seen.begun === 4)
  await post(peer, batches, cancel(5), ann)
  served.release()
  expect((await answersIn(await going)).map(({ id }) => id)).toEqual([1, 2, 3, 4])
})

it('SHTTP-016 a request of an older client without a session goes on when its client disconnects', async () => {
  const served = shop()
  const response = await post(overFetch(served, sessionless), '2025-11-25', holdCall(1), ann)
  await response.body?.cancel()
  expect(served.seen).toEqual({ begun: 1, cancelled: 0 })
  served.release()
})

describe.each(['2025-11-25', modern])('an anonymous request of %s', (version) => {
  const options: HttpOptions = { sessionless: true }

  it('cannot be cancelled by a stranger if the runtime does not tell addresses', async () => {
    const served = shop()
    const peer = overFetch(served, options)
    const going = post(peer, version, holdCall(1))
    await until(() => served.seen.begun === 1)
    expect((await post(peer, version, cancel(1))).status).toBe(202)
    expect(served.seen.cancelled).toBe(0)
    served.release()
    expect(await answersIn(await going)).toHaveLength(1)
  })

  it('PKT-007 can be cancelled from its address, but not if that is a proxy', async () => {
    const served = shop()
    const { url, close } = await listen(served.app, { signals: false, ...options })
    const peer = new HttpPeer(url)
    const ways = [undefined, ...forwardingHeaders]
    const headersOf = (name: string | undefined): Record<string, string> => (name === undefined ? {} : { [name]: '203.0.113.7' })
    const going = ways.map((name, id) => post(peer, version, holdCall(id), headersOf(name)))
    await until(() => served.seen.begun === ways.length)
    for (const id of ways.keys()) expect((await post(peer, version, cancel(id))).status).toBe(202)
    expect(served.seen.cancelled).toBe(1)
    served.release()
    const answers = await Promise.all(going.map(async (response) => answersIn(await response)))
    expect(answers.map(({ length }) => length)).toEqual(ways.map((name) => (name === undefined ? 0 : 1)))
    await close()
  })
})
