import { expect, it } from 'vitest'
import { confirmationMs, isConfirmed } from '../../src/approvals/decide/use-confirmation.js'

it('a first step holds for the call for which it was taken, and only for a moment', () => {
  const consent = { of: 'one', askedAt: 1_000 }
  expect(isConfirmed(consent, 'one', 1_000 + confirmationMs - 1)).toBe(true)
  expect(isConfirmed(consent, 'one', 1_000 + confirmationMs)).toBe(false)
  expect(isConfirmed(consent, 'one, changed', 1_001)).toBe(false)
  expect(isConfirmed(undefined, 'one', 1_001)).toBe(false)
  expect(isConfirmed({ of: '', askedAt: 1_000 }, '', 1_001)).toBe(false)
})
