import { checksOf } from '../../check.js'
import type { Received } from '../../connection/connection.js'
import { between, dialects, perRequest, since, streamable } from '../../revisions.js'
import type { Session } from '../../session/session.js'
import { enforced, enforcedIf, missingBecause, notTried } from '../../verdict.js'

const sessions = between(streamable, dialects)

export const streamChecks = checksOf({ level: 'SHOULD', revisions: since(streamable), over: 'http', page: 'basic/transports' })({
  'http-stream-ends': {
    needs: 'tools',
    sentence: 'A stream that answers a request ends after the response.',
    how: 'Reads the streams that answer calls',
    run: async (attempt) => {
      const streams = (await attempt.samples()).filter(({ answered }) => isStream(answered.headers) && answered.response)
      if (streams.length === 0) return notTried('No answer was a stream')
      return enforcedIf(
        streams.every(({ answered }) => answered.end === 'over'),
        'All streams ended',
        'A stream stayed open',
      )
    },
  },
  'http-get': {
    level: 'MUST',
    revisions: sessions,
    sentence: 'GET is answered with a stream of events, or with HTTP 405.',
    how: 'Sends a GET, and closes the connection',
    run: async (attempt) => {
      const heard = await get(await attempt.session())
      if (heard.status === 405 || (heard.status === 200 && isStream(heard.headers))) return enforced(`HTTP ${heard.status}`)
      return missingBecause(
        `Expected a stream or HTTP 405; got ${heard.status === undefined ? 'no response' : `HTTP ${heard.status}`}`,
      )
    },
  },
  'http-unbuffered': {
    needs: 'tools',
    revisions: [perRequest],
    page: 'basic/transports/streamable-http',
    sentence: 'A stream has the header X-Accel-Buffering: no.',
    how: 'Reads the streams that answer calls',
    run: async (attempt) => {
      const streams = (await attempt.samples()).filter(({ answered }) => isStream(answered.headers))
      if (streams.length === 0) return notTried('No answer was a stream')
      return enforcedIf(
        streams.every(({ answered }) => answered.headers['x-accel-buffering'] === 'no'),
        'All streams have the header',
        'A stream lacks the header',
      )
    },
  },
})

const isStream = (headers: Received['headers']): boolean => headers['content-type']?.startsWith('text/event-stream') === true

/** Opens an event stream. It may stay open forever, so only the status and headers are read. */
const get = (session: Session): Promise<Received> =>
  session.sendRaw(undefined, {
    method: 'GET',
    headers: { accept: 'text/event-stream' },
    headOnly: true,
  })
