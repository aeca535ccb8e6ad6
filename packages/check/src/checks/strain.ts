// Excessive input, which the server must survive.

import type { Attempt } from '../attempt.js'
import { checksOf } from '../check.js'
import { every } from '../revisions.js'
import { resultOf, type Session } from '../session/session.js'
import { enforced, missingBecause, type Verdict } from '../verdict.js'
import { describeReceived, isCarriedOut, refusedAnyhow } from './refusals.js'

const bodyBytes = 12 * 1024 * 1024
const headerBytes = 64 * 1024
const depth = 100_000
/** Large messages take longer to arrive, so their timeout is multiplied. */
const patience = 3

export const strainChecks = checksOf({ level: 'ADVICE', revisions: every, page: 'basic/transports' })({
  'strain-depth': {
    page: 'server/tools',
    sentence: 'A very deeply nested message is refused, and the server survives.',
    how: `Lists the tools with lists nested ${depth} deep in its parameters`,
    run: (attempt) => survived(attempt, (message) => message.replace('"@"', `${'['.repeat(depth)}${']'.repeat(depth)}`)),
  },
  'strain-body': {
    sentence: 'An oversized message is refused, and the server survives.',
    how: `Lists the tools with ${bodyBytes / 1024 / 1024} MiB in its parameters`,
    run: (attempt) => survived(attempt, (message) => message.replace('@', 'x'.repeat(bodyBytes))),
  },
  'strain-headers': {
    over: 'http',
    sentence: 'An oversized header is refused.',
    how: `Lists the tools with a header of ${headerBytes / 1024} KiB`,
    run: async (attempt) => {
      const heard = await attempt.ask(attempt.probe, {}, { headers: { 'x-check': 'x'.repeat(headerBytes) } })
      return heard.end === 'closed' && heard.status === undefined ? enforced('The connection was closed') : refusedAnyhow(heard)
    },
  },
})

/** Sends a request with a filling, and then another one to see if the server still answers. */
async function survived(attempt: Attempt, fill: (message: string) => string): Promise<Verdict> {
  const session = await attempt.newSession()
  const message = session.request(session.probe, { check: '@' })
  const sending = { headers: session.headers(message), ms: session.ms * patience }
  const heard = await session.sendRaw(fill(JSON.stringify(message)), sending)
  if (isCarriedOut(heard)) return missingBecause('The message was carried out')
  const after = await probeAgain(attempt, session)
  if (!resultOf(after.response)) return missingBecause(`The next request got no result: ${describeReceived(after)}`)
  return enforced(`Not carried out (${describeReceived(heard)}), and the server survives`)
}

/** Over HTTP a server may close the connection, so the session may be a new one; over stdio that is the end of the server. */
const probeAgain = async (attempt: Attempt, session: Session) =>
  (session.wire.kind === 'http' ? await attempt.session() : session).ask(session.probe)
