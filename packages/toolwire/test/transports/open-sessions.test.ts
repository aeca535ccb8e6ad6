// Which sessions make room when a server has as many as it may.
import fc from 'fast-check'
import { describe, expect, it, onTestFinished, vi } from 'vitest'
import type { Application } from '../../src/peer/application.js'
import { HttpSession } from '../../src/transports/http/server/sessions/http-session.js'
import { openSessions } from '../../src/transports/http/server/sessions/open-sessions.js'
import type { StreamRules } from '../../src/transports/http/server/streams/event-stream.js'
import { howMany } from '../soak.js'

const app = { join: () => undefined, leave: () => undefined } as unknown as Application
const rulesFor = (sessions: number, sessionIdleMs = 1_000_000) =>
  ({
    limits: { sessions, sessionIdleMs, sessionMs: 1_000_000 },
    events: { forget: () => undefined },
  }) as unknown as StreamRules

function sessionsOf(most: number) {
  const rules = rulesFor(most)
  const open = openSessions(app, rules)
  const keep = (caller: string, { busy = false, anonymous = false } = {}): HttpSession => {
    const session = new HttpSession({ id: caller, scopes: [], anonymous }, rules)
    session.token = session.id
    if (busy) Object.defineProperty(session, 'busy', { value: true, configurable: true })
    open.keep(session)
    return session
  }
  const ofCaller = (caller: string) => open.all().filter(({ conversation }) => conversation.caller.id === caller)
  const callers = () => open.all().map(({ conversation }) => conversation.caller.id)
  return { open, keep, ofCaller, callers }
}

type Step = { readonly caller: string; readonly ends: boolean }
const steps: fc.Arbitrary<Step[]> = fc.array(
  fc.record({ caller: fc.constantFrom('ada', 'bob', 'eve', 'eve', 'eve', 'mallory'), ends: fc.boolean() }),
  { minLength: 1, maxLength: 80 },
)

describe('When there is no room for a session,', () => {
  it('the caller who has the most loses the oldest of its own, whoever opens and ends sessions', () => {
    fc.assert(
      fc.property(steps, fc.integer({ min: 1, max: 12 }), (taken, most) => {
        const { open, keep, ofCaller, callers } = sessionsOf(most)
        for (const { caller, ends } of taken) {
          const [oldest] = ofCaller(caller)
          if (ends && oldest) {
            open.drop(oldest)
            continue
          }
          const before = open.all()
          const counts = new Map<string, number>()
          for (const one of callers()) counts.set(one, (counts.get(one) ?? 0) + 1)
          const first = new Map([...counts.keys()].map((one) => [one, ofCaller(one)[0]]))
          const added = keep(caller)
          const lost = before.filter(({ token }) => !open.get(token))
          expect(open.get(added.token)).toBe(added)
          expect(lost).toHaveLength(before.length < most ? 0 : 1)
          for (const one of lost) {
            const { id } = one.conversation.caller
            expect(counts.get(id)).toBe(Math.max(...counts.values()))
            expect(first.get(id)).toBe(one)
          }
        }
      }),
      { numRuns: howMany(200, 5_000) },
    )
  })

  it('and each caller has one, the least recently used one makes room', () => {
    const { keep, callers } = sessionsOf(4)
    for (const caller of ['ada', 'bob', 'eve', 'ann', 'joe', 'kim']) keep(caller)
    expect(callers()).toEqual(['eve', 'ann', 'joe', 'kim'])
  })

  it('the sessions of a caller that are busy stay, and an idle one of another makes room', () => {
    const { keep, callers } = sessionsOf(4)
    keep('ada')
    for (let n = 0; n < 3; n++) keep('eve', { busy: true })
    keep('bob')
    expect(callers().toSorted()).toEqual(['bob', 'eve', 'eve', 'eve'])
  })

  it('because all are busy, a caller loses its own, and anonymous callers and those without any are refused', () => {
    const { keep, callers } = sessionsOf(3)
    const busy = { busy: true }
    keep('ada', busy)
    keep('eve', busy)
    keep('crowd', { busy: true, anonymous: true })
    expect(() => keep('bob', busy)).toThrow(/in use/)
    expect(() => keep('crowd', { anonymous: true })).toThrow(/in use/)
    keep('ada', busy)
    expect(callers().toSorted()).toEqual(['ada', 'crowd', 'eve'])
  })

  it('and many busy ones of one caller, others open sessions in any number', () => {
    const { keep, ofCaller } = sessionsOf(1_000)
    let looks = 0
    const eves = Array.from({ length: 500 }, () => keep('eve'))
    const busy = {
      get: () => {
        looks++
        return true
      },
    }
    for (const session of eves) Object.defineProperty(session, 'busy', busy)
    for (let n = 0; n < 5_000; n++) keep(`caller ${n % 800}`)
    expect(ofCaller('eve')).toHaveLength(500)
    // Looking at all of them for each of the 4,500 sessions beyond the room would be more than two million looks.
    expect(looks).toBeLessThan(50_000)
  })

  it('a caller whose sessions are all busy loses those that it opens meanwhile', () => {
    const { keep, ofCaller } = sessionsOf(10)
    keep('ada')
    for (let n = 0; n < 8; n++) keep('eve', { busy: true })
    for (let n = 0; n < 40; n++) keep('eve')
    expect([ofCaller('ada').length, ofCaller('eve').length]).toEqual([1, 9])
  })

  it('a session that is busy no more makes room, too', () => {
    vi.useFakeTimers({ toFake: ['performance'] })
    onTestFinished(() => void vi.useRealTimers())
    const { open, keep } = sessionsOf(5)
    for (const caller of ['ada', 'bob']) keep(caller)
    const eves = Array.from({ length: 3 }, () => keep('eve', { busy: true }))
    // All of the largest share are found busy, so the session of Ada makes room.
    keep('ann')
    for (const one of eves) Object.defineProperty(one, 'busy', { value: false })
    vi.advanceTimersByTime(2_000)
    keep('joe')
    expect(eves.map(({ token }) => open.get(token) !== undefined)).toEqual([false, true, true])
  })
})
