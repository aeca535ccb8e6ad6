import { CallFailure, TransportError } from 'toolwire/client'
import { OAuthFailure } from 'toolwire/client/oauth'
import { describe, expect, it } from 'vitest'
import { plays as logins } from '../src/client/logins.js'
import { contextOf, textOf } from '../src/client/play.js'
import { refused } from '../src/client/refused.js'
import { plays as scenarios } from '../src/client/scenarios.js'
import { unscored } from '../src/plan.js'

const setting = { url: 'http://localhost:1/mcp', context: {} }

function turnedAway(reason: Error): CallFailure {
  const link = new TransportError('unauthorized', 'No credentials', { sent: false, cause: reason })
  return new CallFailure('turned_away', 'No credentials', { cause: link, status: 401 })
}

describe('a login that must be refused', () => {
  const wrongIssuer = turnedAway(new OAuthFailure('wrong_issuer', 'The authorization response is not from here'))

  it('is one when the library says no for that reason', async () => {
    await expect(refused(() => Promise.reject(wrongIssuer), 'wrong_issuer')(setting)).resolves.toBeUndefined()
  })

  it('is none when the login goes through', async () => {
    await expect(refused(() => Promise.resolve(), 'wrong_issuer')(setting)).rejects.toThrow('The login went through')
  })

  it('is none when anything else went wrong', async () => {
    const slow = turnedAway(new OAuthFailure('timed_out', 'It did not answer'))
    await expect(refused(() => Promise.reject(slow), 'wrong_issuer')(setting)).rejects.toBe(slow)
    await expect(refused(() => Promise.reject(wrongIssuer), 403)(setting)).rejects.toBe(wrongIssuer)
  })
})

describe('the plays', () => {
  it('know every scenario that the suite runs without scoring it', () => {
    const all = Object.values(unscored.client).flat()
    const own = all.filter((scenario) => !scenario.startsWith('auth/2025-03-26-')) // those need nothing of their own
    expect(own.filter((scenario) => !logins.has(scenario) && !scenarios.has(scenario))).toEqual([])
  })
})

describe('what the suite tells a client', () => {
  it('is nothing where it says nothing', () => {
    expect(contextOf(undefined)).toEqual({})
  })

  it('is missed where a play needs it', () => {
    const context = contextOf('{"client_id":"someone"}')
    expect(textOf(context, 'client_id')).toBe('someone')
    expect(() => textOf(context, 'client_secret')).toThrow('client_secret')
  })
})
