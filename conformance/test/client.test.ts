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

describe('a play with a login that must be refused', () => {
  const wrongIssuer = turnedAway(new OAuthFailure('wrong_issuer', 'The authorization response is not from here'))

  it('passes if the library refuses for the expected reason', async () => {
    await expect(refused(() => Promise.reject(wrongIssuer), 'wrong_issuer')(setting)).resolves.toBeUndefined()
  })

  it('fails if the login is accepted', async () => {
    await expect(refused(() => Promise.resolve(), 'wrong_issuer')(setting)).rejects.toThrow('The login went through')
  })

  it('fails if the library fails for another reason', async () => {
    const slow = turnedAway(new OAuthFailure('timed_out', 'It did not answer'))
    await expect(refused(() => Promise.reject(slow), 'wrong_issuer')(setting)).rejects.toBe(slow)
    await expect(refused(() => Promise.reject(wrongIssuer), 403)(setting)).rejects.toBe(wrongIssuer)
  })
})

describe('the plays', () => {
  it('include every unscored scenario of the suite', () => {
    const all = Object.values(unscored.client).flat()
    const own = all.filter((scenario) => !scenario.startsWith('auth/2025-03-26-')) // these need no play of their own
    expect(own.filter((scenario) => !logins.has(scenario) && !scenarios.has(scenario))).toEqual([])
  })
})

describe('the context that a client gets from the suite', () => {
  it('is empty if the suite gives none', () => {
    expect(contextOf(undefined)).toEqual({})
  })

  it('fails a play that needs a missing entry', () => {
    const context = contextOf('{"client_id":"someone"}')
    expect(textOf(context, 'client_id')).toBe('someone')
    expect(() => textOf(context, 'client_secret')).toThrow('client_secret')
  })
})
