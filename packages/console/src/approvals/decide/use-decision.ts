import { useEffect, useState } from 'preact/hooks'
import type { Approval, StandingApproval } from '../../api/types.js'
import { replaceRoute } from '../../page/route.js'
import { countText } from '../../parts/count-text.js'
import { errorText } from '../../parts/Problem.js'
import { loadApproval, noteEnding, queue } from '../queue/follow-queue.js'
import { type QueueEntry, queueEntries } from '../queue/queue.js'
import { type Decision, sendDecision } from './decision.js'
import { useArming } from './use-arming.js'
import { useConfirmation } from './use-confirmation.js'

type What = NonNullable<Approval['changes']>[number]

const words = {
  tool: 'The tool no longer exists',
  server: 'Another server has taken this name since the request',
  definition: 'The definition of the tool has changed since the request',
  policy: 'The rules have changed since the request',
} as const satisfies Record<What, string>

/** Why a call that waits cannot be allowed any more, and what can be done; undefined where everything is as it was. */
export function staleReason({ changed, changes = [] }: Approval): string | undefined {
  if (!changed && changes.length === 0) return undefined
  const [first = 'definition'] = changes
  return `${words[first]}, so the call cannot be allowed. Deny it, and the caller can retry under the current rules.`
}

type DecisionContext = {
  readonly approval: Approval
  readonly unseen: number
  readonly always: StandingApproval | undefined
  /** With another one, everything begins anew. */
  readonly manner: string
}

/** Everything that stands between a wish to allow and the answer that is sent. */
export function useDecision({ approval, unseen, always, manner }: DecisionContext) {
  const { id, digest } = approval
  const stale = staleReason(approval)
  const [note, setNote] = useState<string | undefined>(undefined)
  const [isSending, setSending] = useState(false)
  const of = stale ? '' : JSON.stringify([id, digest, manner])
  const { looksArmed, isArmedNow } = useArming(of)
  const consent = useConfirmation(of)
  const isRead = unseen === 0
  useEffect(() => setNote(undefined), [of, isRead])

  /** Why it cannot be allowed right now. */
  function hindrance(): string | undefined {
    if (stale) return stale
    if (!isRead) return `Not yet: you have not seen all of ${countText(unseen, 'argument')}. Press u to show the rest.`
    return isArmedNow() ? undefined : 'Not yet: the call has only just appeared.'
  }

  async function send(answer: Decision): Promise<void> {
    setSending(true)
    const outcome = await sendDecision(approval, answer)
    setSending(false)
    consent.forget()
    if (outcome.is === 'over') {
      noteEnding(id, outcome.ending)
      // Who decided elsewhere is told here, and reads it.
      if (outcome.ending.here) goToNext(id)
      return
    }
    if (outcome.is === 'failed') return setNote(`The decision was not saved: ${errorText(outcome.error)}`)
    // The words of the gateway stand beside the call as it is now.
    await loadApproval(id).catch(() => false)
    setNote(`The call was not allowed. ${errorText(outcome.error)}.`)
  }

  function unlessHindered(act: () => void): void {
    const why = hindrance()
    setNote(why)
    if (why === undefined && !isSending) act()
  }
  const allow = () => unlessHindered(() => void send({ decision: 'allow', ...(always && { always }) }))
  const askToAllow = () => unlessHindered(consent.ask)
  const tellWhy = (): void => setNote(hindrance() ?? 'Not yet: you pressed too early. Press again.')

  return { stale, note, isSending, isReady: looksArmed && isRead, consent, send, allow, askToAllow, tellWhy }
}

/** Goes on to the call that waits below the one that was just decided, or to the first; stays where none waits. */
function goToNext(decided: string): void {
  const all = queueEntries(queue.value)
  const at = all.findIndex(({ approval }) => approval.id === decided)
  const waits = ({ ending, approval }: QueueEntry) => !ending && approval.id !== decided
  const next = all.slice(at + 1).find(waits) ?? all.find(waits)
  if (next) replaceRoute(['approvals', next.approval.id])
}
