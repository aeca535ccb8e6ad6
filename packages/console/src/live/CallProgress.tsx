import type { Call } from '../api/types.js'
import { href } from '../page/route.js'
import { Badge } from '../parts/Badge.js'
import { markedText, Text } from '../parts/text/Text.js'

export function CallProgress({ call: { progress, waiting, tool } }: { call: Call }) {
  if (waiting !== undefined)
    return (
      <a href={href(['approvals', waiting])}>
        <Badge tone="warning">to decide</Badge>
      </a>
    )
  if (!progress) return <span class="muted little">runs</span>
  const { progress: done, total, message } = progress
  return (
    <div class="call-progress">
      <progress
        aria-label={`Progress of ${markedText(tool)}`}
        {...(total !== undefined && total > 0 && { value: Math.min(done, total), max: total })}
      />
      <span class="little muted">
        <span class="numbers">{progressWords(done, total)}</span>
        <Text of={message} line />
      </span>
    </div>
  )
}

const progressWords = (done: number, total: number | undefined): string =>
  total !== undefined && total > 0
    ? `${Math.floor(Math.min(100, (100 * done) / total))} %`
    : done.toLocaleString(undefined, { maximumFractionDigits: 1 })
