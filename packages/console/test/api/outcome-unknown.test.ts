import { expect, it } from 'vitest'
import { ApiError, isOutcomeUnknown } from '../../src/api/api.js'

it('the outcome of a change is known after a refusal, and unknown after a lost connection or an error of the gateway', () => {
  const unknown = [400, 401, 409, 422, 0, 500, 503].map((status) => isOutcomeUnknown(new ApiError(status, 'x')))
  expect(unknown).toEqual([false, false, false, false, true, true, true])
  expect(isOutcomeUnknown(new SyntaxError('The answer was cut'))).toBe(true)
})
