import { expect, it } from 'vitest'
import { ResumePoint } from '../../src/transports/http/client/replies/resume-point.js'

it('a stream is resumed after the last event whose id a header can hold', () => {
  const point = new ResumePoint()
  for (const id of ['\u2713', 'a b', 'ü', 'x\n', 'x'.repeat(1_025), '']) point.reach(id)
  expect(point.id).toBe('')
  point.reach('one')
  point.attempts = 3
  point.reach('\u2713')
  expect([point.id, point.attempts]).toEqual(['one', 3])
  point.reach('two')
  expect([point.id, point.attempts]).toEqual(['two', 0])
})
