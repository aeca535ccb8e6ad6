import { eventsOf, type FaultEvent, type History } from '../history.js'
import type { Violation } from './violation.js'

/** Time after which every replica has noticed that PostgreSQL is unreachable, also behind a pooler. */
const noticedMs = 5_000

const idOf = ({ call, attempt }: { readonly call: string; readonly attempt: number }) => `${call}/${attempt}`

/** Meanwhile, each replica applies its share of a rate limit. */
const isLimited = (text: string): boolean => text.includes('too often')

/** While records are spooled on the replicas' disks, every call succeeds that the rules and rate limits allow. */
export function checkSpooling(history: History): Violation[] {
  const answers = new Map(eventsOf(history, 'answered').map((one) => [idOf(one), one]))
  const plain = eventsOf(history, 'sent').filter(({ tool }) => tool.startsWith('plain_'))
  const texts = outagesIn(eventsOf(history, 'fault')).flatMap(({ from, to }) => {
    const meanwhile = plain.flatMap((one) => {
      const answer = answers.get(idOf(one))
      return answer && one.at >= from + noticedMs && answer.at <= to ? [answer] : []
    })
    if (!meanwhile.some(({ how }) => how === 'done')) return ['no call was made while PostgreSQL was unavailable']
    return meanwhile
      .filter(({ how, text }) => how !== 'done' && !isLimited(text))
      .map((one) => `${idOf(one)} was not made while PostgreSQL was unavailable: ${one.text}`)
  })
  return texts.map((text) => ({ invariant: 'spool', text }))
}

function outagesIn(faults: readonly FaultEvent[]) {
  const ofSpool = faults.filter(({ fault }) => fault === 'spool')
  return ofSpool.flatMap(({ phase, at: from }, index) => {
    const next = ofSpool[index + 1]
    return phase === 'begun' && next ? [{ from, to: next.at }] : []
  })
}
