import type { CallOutcome } from '../api/types.js'
import { Badge, type Tone } from './Badge.js'
import { Text } from './text/Text.js'

const tones: Readonly<Record<CallOutcome, Tone>> = {
  ok: 'ok',
  error: 'danger',
  failed: 'danger',
  refused: 'warning',
  cancelled: 'neutral',
  asked: 'info',
}
const meanings: Readonly<Record<CallOutcome, string>> = {
  ok: 'The tool succeeded',
  error: 'The tool reported an error',
  failed: 'The call ended without a result',
  refused: 'The gateway refused the call',
  cancelled: 'The caller or an operator cancelled the call',
  asked: 'The tool asked a question',
}

/** How a call ended. */
export const OutcomeBadge = ({ outcome, reason }: { outcome: CallOutcome; reason?: string | undefined }) => (
  <>
    <Badge tone={tones[outcome] ?? 'neutral'} title={meanings[outcome]}>
      {outcome}
    </Badge>
    {reason !== undefined && <Text of={reason} class="outcome-reason muted" />}
  </>
)
