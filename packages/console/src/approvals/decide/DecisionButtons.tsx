import { useMemo, useState } from 'preact/hooks'
import type { Approval, JsonObject, StandingApproval } from '../../api/types.js'
import { Button } from '../../parts/Button.js'
import { AlwaysAllow, DecisionNote } from '../grants/AlwaysAllow.js'
import {
  constraintOf,
  defaultGrantMs,
  durationName,
  type GrantRequest,
  grantRequestKey,
  narrowest,
} from '../grants/constraint.js'
import { AllowButton } from './AllowButton.js'
import { DenyWithReason } from './DenyWithReason.js'
import { useDecision } from './use-decision.js'
import { useKeys } from './use-keys.js'

/** The request for the second of the two keys. */
const ConfirmAllow = ({ isAlways }: { readonly isAlways: boolean }) => (
  <span class="sure">
    Sure? Press <kbd>Ctrl</kbd> <kbd>Enter</kbd> (or <kbd>⌘</kbd> <kbd>Enter</kbd>) to{' '}
    {isAlways ? 'allow this and matching calls' : 'allow this call'}, <kbd>Esc</kbd> to cancel.
  </span>
)

type Props = { readonly approval: Approval; readonly unseen: number }
type Mode = 'once' | 'always' | 'deny'

/** The decision buttons of a pending call. Allowing requires a moment without changes, arguments that are read, and a deliberate action. */
export function DecisionButtons({ approval, unseen }: Props) {
  const [mode, setMode] = useState<Mode>('once')
  const { wish, setWish, always, manner } = useGrantRequest(approval.arguments, mode === 'always')
  const deciding = useDecision({ approval, unseen, always, manner })
  const { stale, note, isSending, consent, send } = deciding
  useDecidingKeys(deciding, mode, setMode)
  if (mode === 'deny')
    return (
      <section class="deciding stack near" aria-label="Decide">
        <DenyWithReason
          note={note}
          isSending={isSending}
          onDeny={(reason) => send({ decision: 'deny', ...(reason && { reason }) })}
          onBack={() => setMode('once')}
        />
      </section>
    )
  return (
    <section class="deciding stack near" aria-label="Decide">
      {stale && <DecisionNote>{stale}</DecisionNote>}
      {always && !stale && <AlwaysAllow approval={approval} always={always} wish={wish} onWish={setWish} />}
      <p class="deciding-note" role="status">
        {consent.isAsked() ? <ConfirmAllow isAlways={always !== undefined} /> : note === stale ? '' : note}
      </p>
      <div class="deciding-buttons cluster">
        {!stale && (
          <>
            <AllowButton
              label={always ? `Allow this and matching calls for ${durationName(always.forMs)}` : 'Allow once'}
              deciding={deciding}
            />
            <Button onClick={() => setMode(always ? 'once' : 'always')}>{always ? 'Back' : 'Always allow …'}</Button>
          </>
        )}
        <Button variant="danger" onClick={() => setMode('deny')}>
          Deny … <kbd>d</kbd>
        </Button>
      </div>
    </section>
  )
}

function useDecidingKeys(
  { consent, allow, askToAllow }: ReturnType<typeof useDecision>,
  mode: Mode,
  setMode: (mode: Mode) => void,
): void {
  const isAsked = consent.isAsked()
  function goBack(): boolean {
    if (isAsked) consent.forget()
    else setMode('once')
    return isAsked || mode !== 'once'
  }
  useKeys(isAsked, (act) => {
    if (act === 'back') return goBack()
    if (act === 'deny') setMode('deny')
    else if (act === 'ask-to-allow' && mode !== 'deny') askToAllow()
    // Checked again here, because the time for the second key may have run out since the page was drawn.
    else if (act === 'allow' && consent.isAsked()) allow()
    else return false
    return true
  })
}

/** The standing approval that the user composes; by default for exactly this call. `manner` identifies the kind of approval. */
function useGrantRequest(args: JsonObject, isAlways: boolean) {
  const [wish, setWish] = useState<GrantRequest>(() => ({ choice: narrowest(args), forMs: defaultGrantMs }))
  const always = useMemo<StandingApproval | undefined>(
    () => (isAlways ? { forMs: wish.forMs, arguments: constraintOf(args, wish.choice) } : undefined),
    [isAlways, wish, args],
  )
  return { wish, setWish, always, manner: always ? grantRequestKey(wish) : 'once' }
}
