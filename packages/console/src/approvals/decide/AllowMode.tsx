import type { StandingApproval } from '../../api/types.js'
import { Button } from '../../parts/Button.js'
import { durationName } from '../grants/grant-duration.js'
import { AllowButton } from './AllowButton.js'
import type { useDecision } from './use-decision.js'

type Props = {
  readonly deciding: ReturnType<typeof useDecision>
  readonly always: StandingApproval | undefined
  readonly onAlways: (isAlways: boolean) => void
}

/** This call, or this and calls like it. */
export const AllowMode = ({ deciding: { isReady, isSending, askToAllow, allow, tellWhy }, always, onAlways }: Props) => (
  <>
    <AllowButton
      label={always ? `Allow this and matching calls for ${durationName(always.forMs)}` : 'Allow once'}
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
