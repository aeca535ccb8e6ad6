// A stream of another replica, whose client does not read.
import type { IncomingMessage } from 'node:http'
import { PassThrough } from 'node:stream'
import type { types } from 'toolwire/relay'
import { afterEach, beforeEach, expect, it, vi } from 'vitest'
import { relayResponse } from '../../src/http/replicas/relay-response.js'

const stallMs = 150

beforeEach(() => void vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout', 'setInterval', 'clearInterval', 'performance'] }))
afterEach(() => void vi.useRealTimers())

/** A stream of small events to a client that may read or not. */
async function relayed(reads: boolean): Promise<'cut' | 'open'> {
  const response = Object.assign(new PassThrough(), { statusCode: 200, headers: { 'content-type': 'text/event-stream' } })
  let queued = 10
  let closed = () => {}
  let state: 'cut' | 'open' = 'open'
  const sink = {
    get queued() {
      return queued
    },
    open: true,
    write: (text: string) => {
      queued = reads ? 10 : queued + text.length
    },
    end: () => {},
    destroy: () => {
      state = 'cut'
      closed()
    },
    onClose: (listener: () => void) => {
      closed = listener
    },
  }
  const exchange = { stream: () => sink } as unknown as types.ForwardedRequest['exchange']
  // The response has the members that are read.
  const done = relayResponse(response as unknown as IncomingMessage, exchange, stallMs)
  for (let n = 0; n < 10; n++) {
    response.write(': still here\n\n')
    await vi.advanceTimersByTimeAsync(stallMs / 3)
  }
  const found = state
  closed()
  await done
  return found
}

it('is aborted, so that the other replica and the slot of the client are free again', async () => {
  expect(await relayed(false)).toBe('cut')
})

it('stays open as long as the client reads', async () => {
  expect(await relayed(true)).toBe('open')
})
