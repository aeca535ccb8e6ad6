import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { RenewalGate } from '../../src/upstreams/logins/renewal-gate.js'

/** The headers of a request that is sent now. */
function sentBy(gate: RenewalGate): object {
  const headers = {}
  gate.sent(headers)
  return headers
}

function renewed(gate: RenewalGate): void {
  const refused = sentBy(gate)
  gate.answered(401, refused)
  expect(gate.refused(refused)).toBe('renew')
  gate.renewed()
}

describe('a refusal', () => {
  it('triggers a renewal, and no other one until the server has accepted the new tokens once', () => {
    const gate = new RenewalGate()
    renewed(gate)
    expect(gate.refused(sentBy(gate))).toBe('enough')
    gate.answered(200, sentBy(gate))
    expect(gate.refused(sentBy(gate))).toBe('renew')
  })

  it('of a request with the old tokens allows a retry, at any time', () => {
    const gate = new RenewalGate()
    const [first, second, third] = [sentBy(gate), sentBy(gate), sentBy(gate)]
    renewed(gate)
    expect(gate.refused(first)).toBe('again')
    gate.answered(200, second) // the old tokens were accepted, which says nothing about the new ones
    expect(gate.refused(sentBy(gate))).toBe('enough')
    gate.answered(200, sentBy(gate))
    renewed(gate)
    expect(gate.refused(third)).toBe('again')
  })

  it('allows no retry because earlier requests were never answered', () => {
    const gate = new RenewalGate()
    for (let count = 0; count < 6; count++) sentBy(gate)
    renewed(gate)
    expect(gate.refused(sentBy(gate))).toBe('enough')
  })

  it('by a failing server says nothing about tokens', () => {
    const gate = new RenewalGate()
    renewed(gate)
    gate.answered(503, sentBy(gate))
    expect(gate.refused(sentBy(gate))).toBe('enough')
  })

  it('never triggers two renewals while no token is accepted, in any order of events', () => {
    const events = fc.array(fc.tuple(fc.constantFrom('sent', 401, 500, 502), fc.nat()), { maxLength: 60 })
    fc.assert(
      fc.property(events, (all) => {
        const gate = new RenewalGate()
        const sent = [sentBy(gate)]
        let renewals = 0
        for (const [event, which] of all) {
          const headers = sent[which % sent.length]!
          if (event === 'sent') sent.push(sentBy(gate))
          else gate.answered(Number(event), headers)
          if (event !== 401 || gate.refused(headers) !== 'renew') continue
          renewals++
          gate.renewed()
        }
        expect(renewals).toBeLessThanOrEqual(1)
      }),
    )
  })
})
