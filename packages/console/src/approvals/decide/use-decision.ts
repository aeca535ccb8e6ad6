import { useEffect, useState } from 'preact/hooks'
import { isOutcomeUnknown } from '../../api/api.js'
import type { Approval, StandingApproval } from '../../api/types.js'
import { currentRoute, replaceRoute } from '../../page/route.js'
import { countText } from '../../parts/count-text.js'
import { errorText } from '../../parts/Problem.js'
import { useArming } from '../../parts/time/use-arming.js'
import { loadApproval, noteEnding, queue } from '../queue/follow-queue.js'
import { nextPending } from '../queue/queue.js'
import { type Decision, sendDecision } from './decision.js'
import { useConfirmation } from './use-confirmation.js'

type What = NonNullable<Approval['changes']>[number]

const words = {
  tool: 'The tool no longer exists',
  state: 'The tool has been switched off since the request',
  server: 'Another server has taken this name since the request',
  definition: 'The definition of the tool has changed since the request',
  policy: 'The rules have changed since the request',
  arguments: 'The stored arguments were changed since the request and cannot be read',
} as const satisfies Record<What, string>

/** The stored arguments were changed on the disk of the gateway, so nobody can tell what the call would do. */
export const isUnreadable = ({ changes = [] }: Pick<Approval, 'changes'>): boolean => changes.includes('arguments')

/** Explains why a pending call can no longer be allowed; undefined if nothing has changed. */
export function staleReason({ changed, changes = [] }: Approval): string | undefined {
  if (!changed && changes.length === 0) return undefined
  const first = isUnreadable({ changes }) ? 'arguments' : (changes[0] ?? 'definition')
  return `${words[first]}, so the call cannot be allowed. Deny it, and the caller can retry under the current rules.`
}

type DecisionContext = {
  readonly approval: Approval
  readonly unseen: number
  readonly always: StandingApproval | undefined
  /** Identifies the kind of approval; a change starts the arming and the confirmation again. */
  readonly manner: string
}

/** The checks between the user's wish to allow a call and the request that is sent. */
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

  /** The reason why the call cannot be allowed right now. */
  function hindrance(): string | undefined {
    if (stale) return stale
    if (!isRead) return `Not yet: you have not seen all of ${countText(unseen, 'argument')}. Press u to show the rest.`
    return isArmedNow() ? undefined : 'Not yet: the call has only just appeared.'
  }

  async function send(answer: Decision): Promise<void> {
    setSending(true)
    const from = currentRoute.value
    const outcome = await sendDecision(approval, answer)
    setSending(false)
    consent.forget()
    if (outcome.is === 'over') {
      noteEnding(id, outcome.ending)
      // After a decision made elsewhere, the page stays on the call, so that the user can read its outcome. It also stays where the user
      // has gone meanwhile.
      if (outcome.ending.here && currentRoute.value === from) goToNext(id)
      return
    }
    if (outcome.is === 'failed') {
      const isUnknown = isOutcomeUnknown(outcome.error)
      if (isUnknown) await loadApproval(id).catch(() => false)
      const failed = isUnknown ? 'It is unknown whether the decision was saved' : 'The decision was not saved'
      return setNote(`${failed}: ${errorText(outcome.error)}`)
    }
    // Shows the gateway's message beside the current state of the call.
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

/** Opens the next pending call. Stays if none is pending. */
export function goToNext(decided: string): void {
  const next = nextPending(queue.value, decided)
  if (next !== undefined) replaceRoute(['approvals', next])
}
