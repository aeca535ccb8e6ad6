import type { IncomingMessage, ServerResponse } from 'node:http'
import { describe, expect, it } from 'vitest'
import { refusedAction } from '../../src/http/refused-requests.js'

type Asked = { readonly method?: string; readonly url?: string; readonly from?: string }

const recordOf = (statusCode: number, { method, url, from }: Asked = {}, by?: string) =>
  // Nothing else of them is read.
  refusedAction({ method, url, socket: { remoteAddress: from } } as IncomingMessage, { statusCode } as ServerResponse, by)

describe('a request to the console or the management API', () => {
  it.each([200, 303, 400, 402, 404, 429, 500])('is no record when it is answered with %i', (status) =>
    expect(recordOf(status)).toBeUndefined())

  it.each([401, 403])('is one when it is refused with %i: who, from where and which path', (status) =>
    expect(recordOf(status, { method: 'DELETE', url: '/api/v1/keys/1', from: '192.0.2.7' }, 'eve')).toEqual({
      ...{ by: 'eve', act: 'refuse-request', refused: true },
      about: { method: 'DELETE', path: '/api/v1/keys/1', status, from: '192.0.2.7' },
    }))

  it('is recorded without what stands behind the question mark, and with 120 characters of its path at most', () => {
    const path = `/${'x'.repeat(200)}`
    expect(recordOf(401, { url: `/session?token=s3cret?again` })?.about.path).toBe('/session')
    expect(recordOf(401, { url: `${path}?key=s3cret` })?.about.path).toBe(path.slice(0, 120))
  })

  it('is recorded even if nothing is known of it', () =>
    expect(recordOf(401)).toMatchObject({ by: 'unknown', about: { method: '', path: '/', from: 'unknown' } }))
})
