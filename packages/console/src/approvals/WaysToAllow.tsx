import type { Always } from '../api/types.js'
import { Button } from '../parts/Button.js'
import { AllowButton } from './AllowButton.js'
import { spanName } from './expiry.js'
import type { useDeciding } from './use-deciding.js'

type Props = {
  readonly deciding: ReturnType<typeof useDeciding>
  readonly always: Always | undefined
  readonly onAlways: (isAlways: boolean) => void
}

/** This call, or this and calls like it. */
export const WaysToAllow = ({ deciding: { isReady, isSending, askToAllow, allow, tellWhy }, always, onAlways }: Props) => (
  <>
    <AllowButton
      label={always ? `Allow this, and calls like it for ${spanName(always.forMs)}` : 'Allow once'}
      isReady={isReady}
      isSending={isSending}
      onAsk={askToAllow}
      onAllow={allow}
      onEarly={tellWhy}
    />
    {always ? (
      <Button onClick={() => onAlways(false)}>Back</Button>
    ) : (
      <Button onClick={() => onAlways(true)}>Always allow …</Button>
    )}
  </>
)
