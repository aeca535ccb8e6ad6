import { expect, it } from 'vitest'
import { consentMs, holds } from '../../src/approvals/consent.js'

it('holds for the call that was asked about, for a moment', () => {
  const consent = { of: 'one', askedAt: 1_000 }
  expect(holds(consent, 'one', 1_000 + consentMs - 1)).toBe(true)
  expect(holds(consent, 'one', 1_000 + consentMs)).toBe(false)
  expect(holds(consent, 'one, changed', 1_001)).toBe(false)
  expect(holds(undefined, 'one', 1_001)).toBe(false)
  expect(holds({ of: '', askedAt: 1_000 }, '', 1_001)).toBe(false)
})
