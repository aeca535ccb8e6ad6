// HTTP error responses, and results of types that only some revisions define.
import { clientCredentials } from 'toolwire/client/oauth'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { eachNth } from '../../../toolwire/test/soak.js'
import { words } from '../support/running-gateway.js'
import { HttpPeer, styles } from './peer.js'
import { count, failed, startWithBadServer } from './start-with-bad-server.js'
import { eventually } from './waiting.js'

let peer: HttpPeer
beforeAll(async () => {
  peer = await HttpPeer.start()
})
afterAll(() => peer.kill())

describe('row 11: an HTTP error status', () => {
  const statuses = [
    ['429', 'turned_away', /429/],
    ['500', 'outcome_unknown', /500/],
    ['502', 'outcome_unknown', /502/],
    ['503', 'outcome_unknown', /503/],
    ['401', 'turned_away', /401/],
  ] as const

  it.each(
    eachNth(statuses, 2),
  )('%s reaches the caller as %s, the call is not made again, and the connection goes on', async (script, code, message) => {
    for (const style of styles) {
      const { target, notes } = peer.plays(script, style)
      const { caller, bad, beside } = await startWithBadServer(target)
      expect(await beside(() => bad())).toMatchObject(failed(code, message))
      expect(count(notes(), 'bad')).toBe(1)
      expect(words(await caller.call('bad__echo', { text: 'next' }))).toBe('next')
    }
  })

  it.each(styles)('a redirect (%s) to another origin is refused and not followed', async (style) => {
    const { target, notes } = peer.plays('redirect', style)
    const { bad, beside } = await startWithBadServer({ ...target, headers: { authorization: 'Bearer secret' } } as typeof target)
    expect(await beside(() => bad())).toMatchObject(failed('turned_away', /redirect/))
    expect(count(notes(), 'elsewhere')).toBe(0)
  })

  it('a revoked token is renewed once for all concurrent callers', async () => {
    const { target, notes } = peer.plays('tokens', 'per-request')
    const auth = clientCredentials({ issuer: peer.url, clientId: 'gateway', clientSecret: 'secret' })
    const { caller, beside } = await startWithBadServer(target, {
      options: { authFor: ({ id }) => (id === 'bad' ? auth : undefined) },
    })
    const call = () => caller.call('bad__sum', { a: 1, b: 2 })
    expect(words(await call())).toBe('3')
    expect(count(notes(), 'issued 1')).toBe(1)
    peer.revoke()
    await eventually(() => notes().includes('revoked'))
    const sums = await beside(() => Promise.all(Array.from({ length: 20 }, call)))
    expect(sums.map((sum) => words(sum))).toEqual(Array(20).fill('3'))
    expect(notes().filter((word) => word.startsWith('issued '))).toEqual(['issued 1', 'issued 2'])
  })
})

describe('row 12: a result', () => {
  it.each(styles)('without a result type (%s) is complete', async (style) => {
    const { target } = peer.plays('no-type', style)
    const { bad, beside } = await startWithBadServer(target)
    const outcome = await beside(() => bad())
    expect([outcome.isError, words(outcome)]).toEqual([false, 'complete'])
  })

  it('of an unknown result type is refused', async () => {
    const { target, notes } = peer.plays('unknown-type', 'per-request')
    const { bad, beside } = await startWithBadServer(target)
    const outcome = await beside(() => bad())
    expect(outcome).toMatchObject(failed('bad_response'))
    expect(words(outcome)).not.toContain('for the model')
    expect(count(notes(), 'bad')).toBe(1)
  })
})
