// Sessions over HTTP, for servers that have them.

import type { Attempt } from '../../attempt.js'
import { checksOf } from '../../check.js'
import { between, dialects, perRequest, streamable } from '../../revisions.js'
import { type RequestOutcome, resultOf } from '../../session/session.js'
import { enforcedIf, missingBecause, notTried } from '../../verdict.js'
import { withStatus } from '../refusals.js'

const none = 'The server has no sessions'

export const sessionChecks = checksOf({
  level: 'SHOULD',
  revisions: between(streamable, dialects),
  over: 'http',
  page: 'basic/transports',
})({
  'session-id': {
    level: 'MUST',
    sentence: 'A session id has only visible ASCII characters.',
    how: 'Reads the session id',
    run: async (attempt) => {
      const { session } = (await attempt.session()).state
      if (session === undefined) return notTried(none)
      return enforcedIf(/^[\x21-\x7e]+$/.test(session), 'It has', 'It has others')
    },
  },
  'session-unique': {
    sentence: 'Each session has an id of its own that nobody can guess.',
    how: 'Opens two sessions, and compares their ids',
    run: async (attempt) => {
      const [one, other] = [(await attempt.newSession()).state.session, (await attempt.newSession()).state.session]
      if (one === undefined || other === undefined) return notTried(none)
      if (one === other) return missingBecause('Both have the same')
      return enforcedIf(one.length >= 16, 'They differ', `It has only ${one.length} characters`)
    },
  },
  'session-missing': {
    sentence: 'Where there are sessions, a request without one is refused with HTTP 400.',
    how: 'Lists the tools without Mcp-Session-Id',
    run: async (attempt) => {
      const answered = await withSession(attempt, undefined)
      if (!answered) return notTried(none)
      return resultOf(answered.response) ? notTried('The server does not require them') : withStatus(answered, 400)
    },
  },
  'session-unknown': {
    sentence: 'A request with a session id that nobody gave out is answered with HTTP 404.',
    how: 'Lists the tools with a session id made up here',
    run: async (attempt) => {
      const answered = await withSession(attempt, 'made-up-by-a-check')
      if (!answered) return notTried(none)
      const isRequired = !resultOf((await withSession(attempt, undefined))?.response)
      return isRequired || !resultOf(answered.response)
        ? withStatus(answered, 404)
        : notTried('The server does not require sessions')
    },
  },
  'session-ended': {
    level: 'MUST',
    sentence: 'A session that was ended is gone: its id is answered with HTTP 404.',
    how: 'Ends a session with DELETE, then lists the tools in it',
    run: async (attempt) => {
      const session = await attempt.newSession()
      if (session.state.session === undefined) return notTried(none)
      const ended = await session.sendRaw(undefined, { method: 'DELETE' })
      if (ended.status === undefined || ended.status >= 400)
        return notTried(
          `Clients may not end sessions here: DELETE came to ${ended.status === undefined ? 'nothing' : `HTTP ${ended.status}`}`,
        )
      return withStatus(await session.ask('tools/list'), 404)
    },
  },
  'session-gone': {
    revisions: [perRequest],
    page: 'basic/transports/streamable-http',
    sentence: 'There are no sessions: none is begun, and an id from elsewhere changes nothing.',
    how: 'Lists the tools with a session id made up here',
    run: async (attempt) => {
      const answered = await attempt.ask('tools/list', {}, { headers: { 'mcp-session-id': 'made-up-by-a-check' } })
      if (answered.headers['mcp-session-id'] !== undefined) return missingBecause('The answer names a session')
      return enforcedIf(resultOf(answered.response), 'It changes nothing', 'The request was refused')
    },
  },
})

/** Lists the tools under another session id; undefined if the server has no sessions. */
async function withSession(attempt: Attempt, id: string | undefined): Promise<RequestOutcome | undefined> {
  const session = await attempt.session()
  if (session.state.session === undefined) return undefined
  return session.ask('tools/list', {}, { headers: { 'mcp-session-id': id } })
}
