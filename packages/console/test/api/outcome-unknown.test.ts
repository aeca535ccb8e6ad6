import { expect, it } from 'vitest'
import { ApiError, isOutcomeUnknown } from '../../src/api/api.js'

it('a change that was refused was not made; after a lost connection or an error of the gateway, nobody knows', () => {
  const made = [400, 401, 409, 422, 0, 500, 503].map((status) => isOutcomeUnknown(new ApiError(status, 'x')))
  expect(made).toEqual([false, false, false, false, true, true, true])
  expect(isOutcomeUnknown(new SyntaxError('The answer was cut'))).toBe(true)
})
