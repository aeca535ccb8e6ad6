import type { TargetedKeyboardEvent } from 'preact'
import { useRef } from 'preact/hooks'
import { Button } from '../../parts/Button.js'
import type { useDecision } from './use-decision.js'

type Props = { readonly label: string; readonly deciding: ReturnType<typeof useDecision> }

/** Allows on a click. Enter and Space are often hit by chance, so they only ask, and a second key confirms. */
export function AllowButton({ label, deciding: { isReady, isSending, askToAllow, allow, tellWhy } }: Props) {
  const wasReady = useRef(false)
  return (
    <Button
      variant="primary"
      class="allow"
      // Not `disabled`, which would drop the focus and keep a screen reader from announcing the reason.
      aria-disabled={!isReady || undefined}
      busy={isSending}
      onKeyDown={(event) => {
        if (isPress(event) && !event.repeat && !event.ctrlKey && !event.metaKey) askToAllow()
      }}
      onKeyUp={isPress}
      onPointerDown={() => {
        wasReady.current = isReady
      }}
      onClick={({ detail }) => {
        // A click that is too early, or the second of a double click, does not count. A click without a pointer comes from a screen reader.
        if (detail === 0 || (detail === 1 && wasReady.current)) allow()
        else tellWhy()
      }}
    >
      {label} <kbd>a</kbd>
    </Button>
  )
}

/** Is it a key that presses buttons? If so, prevents that. */
function isPress(event: TargetedKeyboardEvent<HTMLButtonElement>): boolean {
  const is = event.key === 'Enter' || event.key === ' '
  if (is) event.preventDefault()
  return is
}
