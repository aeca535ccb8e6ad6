// HTTP error responses, and results of types that only some revisions define.
import { clientCredentials } from 'toolwire/client/oauth'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { eachNth } from '../../../toolwire/test/soak.js'
import { words } from '../support/running-gateway.js'
import { eras, HttpPeer } from './peer.js'
import { count, failed, stage } from './stage.js'
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
  )('%s reaches the caller as %s, the call is not made again, and the connection goes on', async (script, code, said) => {
    for (const era of eras) {
      const { target, seen } = peer.plays(script, era)
      const { caller, bad, beside } = await stage(target)
      expect(await beside(() => bad())).toMatchObject(failed(code, said))
      expect(count(seen(), 'bad')).toBe(1)
      expect(words(await caller.call('bad__echo', { text: 'next' }))).toBe('next')
    }
  })

  it.each(eras)('a redirect (%s) to another origin is refused and not followed', async (era) => {
    const { target, seen } = peer.plays('redirect', era)
    const { bad, beside } = await stage({ ...target, headers: { authorization: 'Bearer secret' } } as typeof target)
    expect(await beside(() => bad())).toMatchObject(failed('turned_away', /redirect/))
    expect(count(seen(), 'elsewhere')).toBe(0)
  })

  it('a revoked token is renewed once for all concurrent callers', async () => {
    const { target, seen } = peer.plays('tokens', 'modern')
    const auth = clientCredentials({ issuer: peer.url, clientId: 'gateway', clientSecret: 'secret' })
    const { caller, beside } = await stage(target, { options: { authFor: ({ id }) => (id === 'bad' ? auth : undefined) } })
    const call = () => caller.call('bad__sum', { a: 1, b: 2 })
    expect(words(await call())).toBe('3')
    expect(count(seen(), 'issued 1')).toBe(1)
    peer.revoke()
    await eventually(() => seen().includes('revoked'))
    const sums = await beside(() => Promise.all(Array.from({ length: 20 }, call)))
    expect(sums.map((sum) => words(sum))).toEqual(Array(20).fill('3'))
    expect(seen().filter((word) => word.startsWith('issued '))).toEqual(['issued 1', 'issued 2'])
  })
})

describe('row 12: a result', () => {
  it.each(eras)('without a result type (%s) is complete', async (era) => {
    const { target } = peer.plays('no-type', era)
    const { bad, beside } = await stage(target)
    const outcome = await beside(() => bad())
    expect([outcome.isError, words(outcome)]).toEqual([false, 'complete'])
  })

  it('of an unknown result type is refused', async () => {
    const { target, seen } = peer.plays('unknown-type', 'modern')
    const { bad, beside } = await stage(target)
    const outcome = await beside(() => bad())
    expect(outcome).toMatchObject(failed('bad_response'))
    expect(words(outcome)).not.toContain('for the model')
    expect(count(seen(), 'bad')).toBe(1)
  })
})
