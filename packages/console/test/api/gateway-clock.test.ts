import { afterEach, expect, it, vi } from 'vitest'
import { gatewayNow, noteGatewayTime } from '../../src/api/gateway-clock.js'

const start = Date.UTC(2026, 4, 12)
/** A response of a gateway whose clock is ahead of the local clock. */
const responseAhead = (ms: number) => ({ headers: new Headers({ date: new Date(Date.now() + ms).toUTCString() }) })
const lead = () => gatewayNow() - Date.now()

afterEach(() => void vi.useRealTimers())

it('the time of the gateway comes from its responses, and a difference too small to measure counts as none', () => {
  vi.useFakeTimers({ now: start, toFake: ['Date'] })
  noteGatewayTime(responseAhead(900), 10)
  noteGatewayTime({ headers: new Headers() }, 10)
  expect(lead()).toBe(0)
  noteGatewayTime(responseAhead(-3_600_000), 10)
  expect(lead()).toBe(-3_599_500)
  // A Date header has whole seconds, and a slow response may be old. Neither changes the difference.
  noteGatewayTime(responseAhead(-3_601_000), 10)
  noteGatewayTime(responseAhead(-3_700_000), 2_000)
  expect(lead()).toBe(-3_599_500)
  // The user corrects the local clock.
  vi.setSystemTime(start - 3_600_000)
  noteGatewayTime(responseAhead(0), 10)
  expect(lead()).toBe(0)
})
