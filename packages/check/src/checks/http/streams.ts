import { checksOf } from '../../check.js'
import type { Received } from '../../connection/connection.js'
import { between, dialects, perRequest, since, streamable } from '../../revisions.js'
import type { Session } from '../../session/session.js'
import { enforced, enforcedIf, missingBecause, notTried } from '../../verdict.js'

const sessions = between(streamable, dialects)

export const streamChecks = checksOf({ level: 'SHOULD', revisions: since(streamable), over: 'http', page: 'basic/transports' })({
  'http-stream-ends': {
    sentence: 'A stream that answers a request ends after the response.',
    how: 'Looks at the streams that answer calls',
    run: async (attempt) => {
      const streams = (await attempt.samples()).filter(({ answered }) => isStream(answered.headers) && answered.response)
      if (streams.length === 0) return notTried('No answer was a stream')
      return enforcedIf(
        streams.every(({ answered }) => answered.end === 'over'),
        'They ended',
        'One stayed open',
      )
    },
  },
  'http-get': {
    level: 'MUST',
    revisions: sessions,
    sentence: 'GET is answered with a stream of events, or with HTTP 405.',
    how: 'Sends a GET, and hangs up',
    run: async (attempt) => {
      const heard = await get(await attempt.session())
      if (heard.status === 405 || (heard.status === 200 && isStream(heard.headers))) return enforced(`HTTP ${heard.status}`)
      return missingBecause(
        `Wanted a stream or HTTP 405; came ${heard.status === undefined ? 'nothing' : `HTTP ${heard.status}`}`,
      )
    },
  },
  'http-unbuffered': {
    revisions: [perRequest],
    page: 'basic/transports/streamable-http',
    sentence: 'A stream says X-Accel-Buffering: no.',
    how: 'Looks at the streams that answer calls',
    run: async (attempt) => {
      const streams = (await attempt.samples()).filter(({ answered }) => isStream(answered.headers))
      if (streams.length === 0) return notTried('No answer was a stream')
      return enforcedIf(
        streams.every(({ answered }) => answered.headers['x-accel-buffering'] === 'no'),
        'It does',
        'It does not',
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
