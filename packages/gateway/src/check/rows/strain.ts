// Too much of something. What counts is that the server is still there afterwards.
import { every } from '../editions.js'
import type { Row } from '../row.js'
import { resultOf, type Talk } from '../talk.js'
import type { Trial } from '../trial.js'
import { enforced, missing, type Verdict } from '../verdict.js'
import { answerIn, outcomeOf, refusedSomehow } from './refused.js'

const page = 'server/tools'
const bodyBytes = 12 * 1024 * 1024
const headerBytes = 64 * 1024
const depth = 100_000
/** So much takes its time to arrive. */
const patience = 3

export const strainRows: readonly Row[] = [
  {
    id: 'strain-depth',
    level: 'ADVICE',
    editions: every,
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
    editions: every,
    page: 'basic/transports',
    sentence: 'A message that is far too large is refused, and the server lives.',
    how: `Lists the tools with ${bodyBytes / 1024 / 1024} MiB in its parameters`,
    run: async (trial) => survived(trial, (message) => message.replace('@', 'x'.repeat(bodyBytes))),
  },
  {
    id: 'strain-headers',
    level: 'ADVICE',
    editions: every,
    over: 'http',
    page: 'basic/transports',
    sentence: 'A header that is far too large is refused.',
    how: `Lists the tools with a header of ${headerBytes / 1024} KiB`,
    run: async (trial) => {
      const heard = await (await trial.talk()).ask('tools/list', {}, { headers: { 'x-check': 'x'.repeat(headerBytes) } })
      return heard.end === 'closed' && heard.status === undefined ? enforced('The connection was closed') : refusedSomehow(heard)
    },
  },
]

/** Sends a request with something in it, and looks whether the server takes another one, which may need a new conversation. */
async function survived(trial: Trial, fill: (message: string) => string): Promise<Verdict> {
  const talk = await trial.fresh()
  const message = talk.request('tools/list', { check: '@' })
  const heard = await talk.say(fill(JSON.stringify(message)), { headers: talk.headers(message), ms: talk.ms * patience })
  const answer = answerIn(heard)
  if (answer && 'result' in answer) return missing('It was carried out')
  const after = await listAgain(trial, talk)
  if (!resultOf(after.response)) return missing(`The server answered nothing afterwards: ${outcomeOf(after)}`)
  return enforced(`Not carried out (${outcomeOf(heard)}), and the server lives`)
}

/** Over HTTP a connection may be closed on us; over a pipe that is the end of the server. */
const listAgain = async (trial: Trial, talk: Talk) => (talk.wire.kind === 'http' ? await trial.talk() : talk).ask('tools/list')
