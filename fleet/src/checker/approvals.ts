import { type Decided, eventsOf, type History } from '../history.js'
import { countBy, type Violation } from './violation.js'

/** A pending call is decided once, and one approval covers one call. */
export function checkApprovals(history: History, isRisky: (tool: string) => boolean): Violation[] {
  const decided = eventsOf(history, 'decided')
  const taken = decided.filter(({ status }) => status === 200)
  const decisions = countBy(taken, ({ approval }) => approval)
  const twice = [...decisions].filter(([, times]) => times > 1).map(([id, times]) => `${id} was decided ${times} times`)
  const texts = [...twice, ...lostDecisions(history, taken), ...unapproved(history, decided, isRisky)]
  return texts.map((text) => ({ invariant: 'approval', text }))
}

/** Acknowledged decisions that are missing from the table. */
function lostDecisions(history: History, taken: readonly Decided[]): string[] {
  const rows = new Map(eventsOf(history, 'approval').map(({ id, decision }) => [id, decision]))
  return taken.flatMap(({ approval, decision }) => {
    const kept = rows.get(approval)
    if (kept === decision) return []
    return [`${approval} was answered with ${decision}, and the table says ${kept ?? 'nothing'}`]
  })
}

/** A decision without a response may have taken effect. */
const mayBeTaken = ({ status, decision }: Decided): boolean =>
  decision === 'allow' && (status === 200 || status === 0 || status >= 500)

function unapproved(history: History, decided: readonly Decided[], isRisky: (tool: string) => boolean): string[] {
  const allowed = new Map<string, Set<string>>()
  for (const one of decided.filter(mayBeTaken)) allowed.set(one.call, (allowed.get(one.call) ?? new Set()).add(one.approval))
  const executed = countBy(
    eventsOf(history, 'executed').filter(({ tool }) => isRisky(tool)),
    ({ call }) => call,
  )
  return [...executed].flatMap(([call, times]) => {
    const yes = allowed.get(call)?.size ?? 0
    return times > yes ? [`${call} was executed ${times} times with ${yes} approvals`] : []
  })
}
