import type { TargetedKeyboardEvent } from 'preact'
import { useRef } from 'preact/hooks'
import { Button } from '../../parts/Button.js'
import type { useDecision } from './use-decision.js'

type Props = { readonly label: string; readonly deciding: ReturnType<typeof useDecision> }

/** Allows when it is clicked. Enter and Space only ask, because they are hit by chance; a second step follows. */
export function AllowButton({ label, deciding: { isReady, isSending, askToAllow, allow, tellWhy } }: Props) {
  const wasReady = useRef(false)
  return (
    <Button
      variant="primary"
      class="allow"
      // Not `disabled`: that would take the focus away, and nobody could hear why it is not ready.
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
        // What was pressed too early is no yes, and neither is the second of two clicks. Without a pointer a screen reader has clicked.
        if (detail === 0 || (detail === 1 && wasReady.current)) allow()
        else tellWhy()
      }}
    >
      {label} <kbd>a</kbd>
    </Button>
  )
}

/** Whether the key would press the button, which it then does not. */
function isPress(event: TargetedKeyboardEvent<HTMLButtonElement>): boolean {
  const is = event.key === 'Enter' || event.key === ' '
  if (is) event.preventDefault()
  return is
}
