// Too much of something. What counts is that the server is still there afterwards.

import type { Attempt } from '../attempt.js'
import type { Check } from '../check.js'
import { every } from '../revisions.js'
import { resultOf, type Session } from '../session/session.js'
import { enforced, missingBecause, type Verdict } from '../verdict.js'
import { describeReceived, refusedAnyhow, responseIn } from './refusals.js'

const page = 'server/tools'
const bodyBytes = 12 * 1024 * 1024
const headerBytes = 64 * 1024
const depth = 100_000
/** So much takes its time to arrive. */
const patience = 3

export const strainChecks: readonly Check[] = [
  {
    id: 'strain-depth',
    level: 'ADVICE',
    revisions: every,
    page,
    sentence: 'A message that is nested very deeply is refused, and the server lives.',
    how: `Lists the tools with lists nested ${depth} deep in its parameters`,
    run: async (trial) => {
      const deep = `${'['.repeat(depth)}${']'.repeat(depth)}`
      return survived(trial, (message) => message.replace('"@"', deep))
    },
  },
  {
    id: 'strain-body',
    level: 'ADVICE',
    revisions: every,
    page: 'basic/transports',
    sentence: 'A message that is far too large is refused, and the server lives.',
    how: `Lists the tools with ${bodyBytes / 1024 / 1024} MiB in its parameters`,
    run: async (trial) => survived(trial, (message) => message.replace('@', 'x'.repeat(bodyBytes))),
  },
  {
    id: 'strain-headers',
    level: 'ADVICE',
    revisions: every,
    over: 'http',
    page: 'basic/transports',
    sentence: 'A header that is far too large is refused.',
    how: `Lists the tools with a header of ${headerBytes / 1024} KiB`,
    run: async (trial) => {
      const heard = await (await trial.session()).ask('tools/list', {}, { headers: { 'x-check': 'x'.repeat(headerBytes) } })
      return heard.end === 'closed' && heard.status === undefined ? enforced('The connection was closed') : refusedAnyhow(heard)
    },
  },
]

/** Sends a request with something in it, and looks whether the server takes another one, which may need a new conversation. */
async function survived(trial: Attempt, fill: (message: string) => string): Promise<Verdict> {
  const talk = await trial.newSession()
  const message = talk.request('tools/list', { check: '@' })
  const heard = await talk.sendRaw(fill(JSON.stringify(message)), { headers: talk.headers(message), ms: talk.ms * patience })
  const answer = responseIn(heard)
  if (answer && 'result' in answer) return missingBecause('It was carried out')
  const after = await listAgain(trial, talk)
  if (!resultOf(after.response)) return missingBecause(`The server answered nothing afterwards: ${describeReceived(after)}`)
  return enforced(`Not carried out (${describeReceived(heard)}), and the server lives`)
}

/** Over HTTP a connection may be closed on us; over a pipe that is the end of the server. */
const listAgain = async (trial: Attempt, talk: Session) =>
  (talk.wire.kind === 'http' ? await trial.session() : talk).ask('tools/list')
