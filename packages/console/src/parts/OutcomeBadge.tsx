import type { CallOutcome } from '../api/types.js'
import { Badge, type Tone } from './Badge.js'
import { Text } from './text/Text.js'

const looks: Readonly<Record<CallOutcome, readonly [tone: Tone, meaning: string]>> = {
  ok: ['ok', 'The tool succeeded'],
  error: ['danger', 'The tool reported an error'],
  failed: ['danger', 'The call ended without a result'],
  refused: ['warning', 'The gateway refused the call'],
  cancelled: ['neutral', 'The caller or an operator cancelled the call'],
  asked: ['info', 'The tool asked a question'],
}

export function OutcomeBadge({ outcome, reason }: { outcome: CallOutcome; reason?: string | undefined }) {
  const [tone, meaning] = looks[outcome] ?? []
  return (
    <span class="outcome">
      <Badge tone={tone} title={meaning}>
        {outcome}
      </Badge>
      <Text of={reason} line class="outcome-reason muted" />
    </span>
  )
}
