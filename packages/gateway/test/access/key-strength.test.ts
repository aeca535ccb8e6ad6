import { randomBytes, randomUUID } from 'node:crypto'
import { createApiKey } from 'toolwire/auth'
import { describe, expect, it } from 'vitest'
import { checkKeyStrength, isStrongKey } from '../../src/access/key-strength.js'
import { newManagementToken } from '../../src/store/management-token.js'
import { started } from '../support/running-gateway.js'

const rounds = Array.from({ length: 2_000 }, (_, round) => round)

describe('the key of the operator', () => {
  it('is strong enough if a program has generated it', async () => {
    const weak: string[] = []
    for (const _ of rounds) {
      const keys = [randomBytes(32).toString('hex'), randomBytes(32).toString('base64'), randomBytes(24).toString('base64url')]
      for (const key of [...keys, randomUUID() + randomUUID(), newManagementToken()]) if (!isStrongKey(key)) weak.push(key)
    }
    weak.push(...[(await createApiKey({ scopes: [] })).key].filter((key) => !isStrongKey(key)))
    expect(weak).toEqual([])
  })

  it.each([
    '',
    'secret',
    'correct-horse',
    'the-operators-own-key',
    'a'.repeat(64),
    'ab'.repeat(40),
    'Password123!'.repeat(8),
    'toolwire-gateway-admin-secret-password-key',
    '0123456789012345678901234567890123456789',
    'abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789',
    '31415926535897932384626433832795028841',
    'changeme-changeme-changeme-changeme',
  ])('is too weak as %j, so no gateway starts with it: the error explains how to make a good one', async (apiKey) => {
    expect(isStrongKey(apiKey)).toBe(false)
    await expect(started({ apiKey })).rejects.toThrow(/TOOLWIRE_API_KEY is too weak.*openssl rand -hex 32/)
  })

  it('is optional', () => {
    expect(() => checkKeyStrength({})).not.toThrow()
  })
})
