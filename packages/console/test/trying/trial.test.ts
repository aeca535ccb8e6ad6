import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { answeredTrial, begunTrial, endedTrial, type Trial, trialAfter, waitingFor } from '../../src/trying/trial.js'

const afterEvents = (trial: Trial, ...events: [kind: string, data: unknown][]): Trial =>
  events.reduce((now, [kind, data], at) => trialAfter(now, { kind, data: data as never }, 100 + at), trial)

describe('a try of a tool', () => {
  it('follows the call to its result', () => {
    const trial = afterEvents(
      begunTrial(1),
      ['began', { call: 7 }],
      ['progress', { progress: 1, total: 4, message: 'one' }],
      ['result', { content: [] }],
    )
    expect(trial).toMatchObject({
      state: 'done',
      call: 7,
      progress: { done: 1, total: 4 },
      said: ['one'],
      result: { content: [] },
      endedAt: 102,
    })
  })

  it('has the reason of a refusal', () => {
    expect(afterEvents(begunTrial(1), ['refused', { code: 1, message: 'no' }])).toMatchObject({ state: 'refused', why: 'no' })
    expect(afterEvents(begunTrial(1), ['refused', {}]).why).not.toBe('')
  })

  it('stays over, whatever comes later', () => {
    const done = afterEvents(begunTrial(1), ['result', { content: [] }])
    expect(afterEvents(done, ['refused', { message: 'late' }], ['progress', { progress: 9 }], ['question', { id: 'q' }])).toEqual(
      done,
    )
  })

  it('is lost, and not done, if the stream ends without a result', () => {
    expect(endedTrial(begunTrial(1), 'gone', 5)).toMatchObject({ state: 'lost', why: 'gone', endedAt: 5 })
    const done = afterEvents(begunTrial(1), ['result', { content: [] }])
    expect(endedTrial(done, 'gone', 5)).toBe(done)
  })

  it('asks each question once, and remembers the answer', () => {
    const question = { id: 'q', message: 'Which?', schema: { type: 'object' } }
    const page = { id: 'p', message: 'Go', url: 'https://example.com', warnings: ['odd', 7] }
    const trial = afterEvents(begunTrial(1), ['question', question], ['question', question], ['question', page])
    expect(trial.questions).toEqual([
      { id: 'q', message: 'Which?', schema: { type: 'object' }, warnings: [] },
      { id: 'p', message: 'Go', address: 'https://example.com', warnings: ['odd'] },
    ])
    expect(answeredTrial(trial, 'q', 'decline').questions[0]).toMatchObject({ answer: 'decline' })
    expect(answeredTrial(trial, 'q', 'decline').questions[1]).not.toHaveProperty('answer')
  })

  it('stops waiting when it continues or ends', () => {
    const waiting = waitingFor(begunTrial(1), 'a1')
    expect(waiting.waiting).toBe('a1')
    // A pending approval is reported by progress notifications.
    expect(afterEvents(waiting, ['progress', { progress: 1 }])).toHaveProperty('waiting', 'a1')
    expect(waitingFor(waiting, undefined)).not.toHaveProperty('waiting')
    expect(afterEvents(waiting, ['result', {}])).not.toHaveProperty('waiting')
  })

  it('keeps few progress messages, and no consecutive duplicates', () => {
    const events = Array.from({ length: 500 }, (_, at): [string, unknown] => [
      'progress',
      { progress: at, message: `step ${at >> 1}` },
    ])
    const { said } = afterEvents(begunTrial(1), ...events)
    expect(said).toHaveLength(50)
    expect(said.at(-1)).toBe('step 249')
  })

  it('survives any events of the stream', () => {
    const kinds = fc.constantFrom('began', 'progress', 'question', 'result', 'refused', 'other')
    fc.assert(
      fc.property(fc.array(fc.tuple(kinds, fc.jsonValue())), (events) => {
        const trial = afterEvents(begunTrial(1), ...events)
        expect(['running', 'done', 'refused']).toContain(trial.state)
      }),
    )
  })
})
