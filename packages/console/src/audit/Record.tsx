import { pathSegment } from '../api/api.js'
import type { AuditCall, AuditEntry, AuditRecord, JsonObject } from '../api/types.js'
import { useEvents, useGet } from '../api/use-loaded.js'
import { href } from '../page/route.js'
import { Badge } from '../parts/Badge.js'
import { Button } from '../parts/Button.js'
import { CalledFacts, Fact, Facts } from '../parts/Facts.js'
import { LoadState } from '../parts/LoadState.js'
import { OutcomeBadge } from '../parts/OutcomeBadge.js'
import { toast } from '../parts/Toast.js'
import { Json } from '../parts/text/Json.js'
import { formatDuration } from '../parts/time/format-time.js'
import { Time } from '../parts/time/Time.js'

/** One record in full, with the outcome of its call. */
export function Record({ sequence, onClose }: { sequence: number; onClose: () => void }) {
  const loaded = useGet<AuditRecord>(`/audit/${pathSegment(sequence)}`)
  const { value, reload } = loaded
  useEvents(value?.call?.outcome === undefined ? ['audit'] : [], reload)
  return (
    <aside class="card padded stack audit-record" aria-label={`Record ${sequence}`}>
      <header class="cluster">
        <h2>Record {sequence}</h2>
        <Button variant="quiet" small class="push" onClick={copyLink}>
          Copy link
        </Button>
        <Button variant="quiet" icon="cross" aria-label="Close the record" onClick={onClose} />
      </header>
      <LoadState of={loaded} what="the record" />
      {value?.call && <Call call={value.call} sequence={sequence} />}
      {value && <Entry entry={value.entry} />}
    </aside>
  )
}

async function copyLink(): Promise<void> {
  try {
    await navigator.clipboard.writeText(location.href)
    toast('The link to this record was copied.', 'info')
  } catch {
    toast('The browser blocks the clipboard. Copy the address from the address bar.', 'danger')
  }
}

const Call = ({ call, sequence }: { call: AuditCall; sequence: number }) => (
  <Facts>
    <Fact name="Outcome">
      {call.outcome === undefined ? <Badge>not known</Badge> : <OutcomeBadge outcome={call.outcome} reason={call.reason} />}
      {call.durationMs !== undefined && <span class="muted"> after {formatDuration(call.durationMs)}</span>}
    </Fact>
    <CalledFacts of={call} />
    <Fact name="Begun">
      <Time at={call.at} />
      {call.continued && <span class="muted"> with the answer to a question</span>}
    </Fact>
    <Fact name="Records">
      <Mentioned sequence={call.sequence} shown={sequence}>
        before it was made
      </Mentioned>
      {call.ended !== undefined && (
        <>
          {', '}
          <Mentioned sequence={call.ended} shown={sequence}>
            how it ended
          </Mentioned>
        </>
      )}
    </Fact>
  </Facts>
)

const Mentioned = ({ sequence, shown, children }: { sequence: number; shown: number; children: string }) =>
  sequence === shown ? (
    <span aria-current="true">
      {sequence} ({children})
    </span>
  ) : (
    <a href={href(['audit', sequence])}>
      {sequence} ({children})
    </a>
  )

/** The record as it is in the log, with its hash and that of the record before. */
function Entry({ entry: { text, hash } }: { entry: AuditEntry }) {
  const { sequence: _, previous, ...said }: JsonObject = JSON.parse(text)
  return (
    <>
      <h3>Content</h3>
      <Json of={said} open={3} />
      <h3>Place in the chain</h3>
      <Facts class="audit-hashes">
        <Fact name="Hash" mono>
          {hash}
        </Fact>
        <Fact name="Previous hash" mono>
          {typeof previous === 'string' ? previous : 'none: the first record'}
        </Fact>
      </Facts>
      <p class="muted little">
        Each record contains the hash of the previous record. Arguments are kept as digests: equal values have equal digests, and
        the values cannot be recovered.
      </p>
    </>
  )
}
