import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { RenewalGate } from '../../src/upstreams/logins/renewal-gate.js'

describe('a refusal', () => {
  it('is worth new tokens, and then no others until the server has taken these once', () => {
    const turns = new RenewalGate()
    turns.sent()
    turns.answered(401)
    expect(turns.refused()).toBe('renew')
    turns.renewed()
    turns.sent()
    turns.answered(401)
    expect(turns.refused()).toBe('enough')
    turns.sent()
    turns.answered(200)
    expect(turns.refused()).toBe('renew')
  })

  it('of what was under way with the old ones is worth another try, for a while', () => {
    let now = 0
    const turns = new RenewalGate(() => now)
    for (let count = 0; count < 4; count++) turns.sent()
    turns.answered(401)
    turns.renewed()
    turns.answered(401)
    expect(turns.refused()).toBe('again')
    turns.answered(200) // an old one that was taken says nothing about the new ones
    turns.answered(401)
    expect(turns.refused()).toBe('again')
    expect(turns.refused()).toBe('enough')
    turns.sent()
    turns.answered(200)
    turns.sent()
    turns.renewed()
    now = 5_001
    turns.answered(401)
    expect(turns.refused()).toBe('enough')
  })

  it('by a server that has failed says nothing about tokens', () => {
    const turns = new RenewalGate()
    turns.renewed()
    turns.sent()
    turns.answered(503)
    expect(turns.refused()).toBe('enough')
  })

  it('never leads to new tokens twice while nothing is taken, whatever comes when', () => {
    const events = fc.array(fc.constantFrom('sent', 401, 500, 502), { maxLength: 60 })
    fc.assert(
      fc.property(events, (all) => {
        const turns = new RenewalGate()
        let renewals = 0
        for (const event of all) {
          if (event === 'sent') turns.sent()
          else turns.answered(Number(event))
          if (event !== 401 || turns.refused() !== 'renew') continue
          renewals++
          turns.renewed()
        }
        expect(renewals).toBeLessThanOrEqual(1)
      }),
    )
  })
})
