import type { IncomingMessage, ServerResponse } from 'node:http'
import { describe, expect, it } from 'vitest'
import { refusedAction } from '../../src/http/refused-requests.js'

type Asked = { readonly method?: string; readonly url?: string; readonly from?: string }

const recordOf = (statusCode: number, { method, url, from }: Asked = {}, by?: string) =>
  // Only these members are read.
  refusedAction({ method, url, socket: { remoteAddress: from } } as IncomingMessage, { statusCode } as ServerResponse, by)

describe('a request to the console or the management API', () => {
  it.each([200, 303, 400, 402, 404, 429, 500])('has no record when it is answered with %i', (status) =>
    expect(recordOf(status)).toBeUndefined())

  it.each([401, 403])('has one when it is refused with %i: with method, path and origin', (status) =>
    expect(recordOf(status, { method: 'DELETE', url: '/api/v1/keys/1', from: '192.0.2.7' }, 'eve')).toEqual({
      ...{ by: 'eve', act: 'refuse-request', refused: true },
      about: { method: 'DELETE', path: '/api/v1/keys/1', status, from: '192.0.2.7' },
    }))

  it('is recorded without its query, and with at most 120 characters of its path', () => {
    const path = `/${'x'.repeat(200)}`
    expect(recordOf(401, { url: `/session?token=s3cret?again` })?.about.path).toBe('/session')
    expect(recordOf(401, { url: `${path}?key=s3cret` })?.about.path).toBe(path.slice(0, 120))
  })

  it('is recorded even without known details', () =>
    expect(recordOf(401)).toMatchObject({ by: 'unknown', about: { method: '', path: '/', from: 'unknown' } }))
})
