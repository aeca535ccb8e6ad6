import { type Answered, eventsOf, type FaultEvent, type History, type Sent } from '../history.js'
import type { Violation } from './violation.js'

const newest = '2026-07-28'

/** Answers that a client could also get without a restart. */
const isUsual = ({ how, text }: Answered): boolean =>
  how === 'done' || (how === 'refused' && /approv|too often|denied/.test(text))

/** During a rolling restart without other faults, no call of the newest revision fails. */
export function checkRolling(history: History): Violation[] {
  const faults = eventsOf(history, 'fault')
  const answers = new Map(eventsOf(history, 'answered').map((one) => [idOf(one), one]))
  return eventsOf(history, 'sent')
    .filter((one) => one.revision === newest)
    .flatMap((one) => {
      const answer = answers.get(idOf(one))
      if (!answer || isUsual(answer) || !isRestarting(one, answer, faults)) return []
      return [{ invariant: 'outage' as const, text: `${idOf(one)} of ${one.client} failed in a rolling restart: ${answer.text}` }]
    })
}

/** A session survives the replica that began it, so no client has to open another one. */
export function checkSessions(history: History): Violation[] {
  const faults = eventsOf(history, 'fault')
  const isMeanwhile = ({ at }: { readonly at: number }) => isRestarting({ at }, { at }, faults)
  const lost = eventsOf(history, 'session-lost').filter(isMeanwhile)
  const sessions = eventsOf(history, 'session').filter(({ isStream }) => !isStream)
  const isFirst = (client: string, at: number) => sessions.findIndex((one) => one.client === client) === at
  const opened = sessions.filter((one, at) => !isFirst(one.client, at) && isMeanwhile(one))
  const texts = [
    ...lost.map(({ session }) => `session ${session} was not known in a rolling restart`),
    ...opened.map(({ client }) => `${client} had to begin a new session in a rolling restart`),
  ]
  return texts.map((text) => ({ invariant: 'sessions', text }))
}

const idOf = ({ call, attempt }: { readonly call: string; readonly attempt: number }) => `${call}/${attempt}`

type At = Pick<Sent | Answered, 'at'>

function isRestarting(sent: At, answer: At, faults: readonly FaultEvent[]): boolean {
  const last = faults.filter((one) => one.at <= sent.at).at(-1)
  const meanwhile = faults.filter((one) => one.phase === 'begun' && one.at > sent.at && one.at <= answer.at)
  return last?.fault === 'rolling' && last.phase === 'begun' && meanwhile.length === 0
}
