import { useMemo, useState } from 'preact/hooks'
import type { Approval } from '../api/types.js'
import { Button } from '../parts/Button.js'
import { Icon } from '../parts/Icon.js'
import { AllowButton } from './AllowButton.js'
import { AlwaysAllow } from './AlwaysAllow.js'
import { constraintOf, narrowest, type Wish, wishName } from './constraint.js'
import { DenyWithReason } from './DenyWithReason.js'
import { spanName, usualMs } from './expiry.js'
import { Sure } from './Sure.js'
import { useDeciding } from './use-deciding.js'
import { useKeys } from './use-keys.js'

type Props = { readonly approval: Approval; readonly unseen: number }
type Mode = 'once' | 'always' | 'deny'

/** The buttons. They stand as long as the call waits; the one that allows needs a quiet moment, a whole reading and a will of its own. */
export function Deciding({ approval, unseen }: Props) {
  const [mode, setMode] = useState<Mode>('once')
  const { arguments: args } = approval
  const [wish, setWish] = useState<Wish>(() => ({ choice: narrowest(args), forMs: usualMs }))
  const always = useMemo(
    () => (mode === 'always' ? { forMs: wish.forMs, arguments: constraintOf(args, wish.choice) } : undefined),
    [mode, wish, args],
  )
  const manner = always ? wishName(wish) : 'once'
  const { stale, note, isSending, isReady, consent, send, allow, askToAllow, tellWhy } = useDeciding({
    approval,
    unseen,
    always,
    manner,
  })
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
    // Looked at once more in the moment that counts: the clock went on since the page was drawn.
    else if (act === 'allow' && consent.isAsked()) allow()
    else return false
    return true
  })

  if (mode === 'deny')
    return (
      <section class="deciding" aria-label="Decide">
        <DenyWithReason
          note={note}
          isSending={isSending}
          onDeny={(reason) => send({ decision: 'deny', ...(reason && { reason }) })}
          onBack={() => setMode('once')}
        />
      </section>
    )
  return (
    <section class="deciding" aria-label="Decide">
      {stale && (
        <p class="deciding-note warning">
          <Icon name="warning" />
          <span>{stale}</span>
        </p>
      )}
      {always && !stale && <AlwaysAllow approval={approval} always={always} wish={wish} onWish={setWish} />}
      <p class="deciding-note" role="status">
        {isAsked ? <Sure isAlways={always !== undefined} /> : note === stale ? '' : note}
      </p>
      <div class="deciding-buttons">
        {!stale && (
          <>
            <AllowButton
              label={always ? `Allow this, and calls like it for ${spanName(always.forMs)}` : 'Allow once'}
              isReady={isReady}
              isSending={isSending}
              onAsk={askToAllow}
              onAllow={allow}
              onEarly={tellWhy}
            />
            {mode === 'once' ? (
              <Button onClick={() => setMode('always')}>Always allow …</Button>
            ) : (
              <Button onClick={() => setMode('once')}>Back</Button>
            )}
          </>
        )}
        <Button variant="danger" onClick={() => setMode('deny')}>
          Deny … <kbd>d</kbd>
        </Button>
      </div>
    </section>
  )
}
