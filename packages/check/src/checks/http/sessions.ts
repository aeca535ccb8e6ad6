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
      return enforcedIf(/^[\x21-\x7e]+$/.test(session), 'All characters are visible ASCII', 'The id has other characters')
    },
  },
  'session-unique': {
    sentence: 'Each session has its own id, which cannot be guessed.',
    how: 'Opens two sessions, and compares their ids',
    run: async (attempt) => {
      const [one, other] = [(await attempt.newSession()).state.session, (await attempt.newSession()).state.session]
      if (one === undefined || other === undefined) return notTried(none)
      if (one === other) return missingBecause('Both sessions have the same id')
      return enforcedIf(one.length >= 16, 'The ids differ', `The id has only ${one.length} characters`)
    },
  },
  'session-missing': {
    sentence: 'A server with sessions refuses a request without a session id with HTTP 400.',
    how: 'Lists the tools without Mcp-Session-Id',
    run: async (attempt) => {
      const answered = await withSession(attempt, undefined)
      if (!answered) return notTried(none)
      return resultOf(answered.response) ? notTried('The server does not require sessions') : withStatus(answered, 400)
    },
  },
  'session-unknown': {
    sentence: 'A request with an unknown session id is answered with HTTP 404.',
    how: 'Lists the tools with an invented session id',
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
    sentence: 'A request in an ended session is answered with HTTP 404.',
    how: 'Ends a session with DELETE, then lists the tools in it',
    run: async (attempt) => {
      const session = await attempt.newSession()
      if (session.state.session === undefined) return notTried(none)
      const ended = await session.sendRaw(undefined, { method: 'DELETE' })
      if (ended.status === undefined || ended.status >= 400)
        return notTried(
          `Clients may not end sessions: DELETE got ${ended.status === undefined ? 'no response' : `HTTP ${ended.status}`}`,
        )
      return withStatus(await session.ask(session.probe), 404)
    },
  },
  'session-gone': {
    revisions: [perRequest],
    page: 'basic/transports/streamable-http',
    sentence: 'There are no sessions: the server opens none, and ignores session ids.',
    how: 'Lists the tools with an invented session id',
    run: async (attempt) => {
      const answered = await attempt.ask(attempt.probe, {}, { headers: { 'mcp-session-id': 'made-up-by-a-check' } })
      if (answered.headers['mcp-session-id'] !== undefined) return missingBecause('The answer names a session')
      return enforcedIf(resultOf(answered.response), 'The session id was ignored', 'The request was refused')
    },
  },
})

/** Lists the tools under another session id; undefined if the server has no sessions. */
async function withSession(attempt: Attempt, id: string | undefined): Promise<RequestOutcome | undefined> {
  const session = await attempt.session()
  if (session.state.session === undefined) return undefined
  return session.ask(session.probe, {}, { headers: { 'mcp-session-id': id } })
}
