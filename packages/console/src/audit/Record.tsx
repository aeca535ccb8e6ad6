import { get, part } from '../api/api.js'
import { useEvents, useLoaded } from '../api/loaded.js'
import type { AuditCall, AuditEntry, JsonObject } from '../api/types.js'
import { href } from '../page/route.js'
import { Badge } from '../parts/Badge.js'
import { Button } from '../parts/Button.js'
import { Loading } from '../parts/Empty.js'
import { Json } from '../parts/Json.js'
import { OutcomeBadge } from '../parts/OutcomeBadge.js'
import { Text } from '../parts/Text.js'
import { Time } from '../parts/Time.js'
import { toast } from '../parts/Toast.js'
import { Trouble } from '../parts/Trouble.js'
import { span } from '../parts/time-words.js'

type Found = { readonly entry: AuditEntry; readonly call?: AuditCall }

/** One record, whole, with what came of the call that it belongs to. */
export function Record({ sequence, onClose }: { sequence: number; onClose: () => void }) {
  const { value, trouble, reload } = useLoaded((signal) => get<Found>(`/audit/${part(sequence)}`, {}, signal), [sequence])
  useEvents(value?.call?.outcome === undefined ? ['audit'] : [], reload)
  return (
    <aside class="card audit-record" aria-label={`Record ${sequence}`}>
      <header>
        <h2>Record {sequence}</h2>
        <Button variant="quiet" small onClick={() => void copyLink()}>
          Copy link
        </Button>
        <Button variant="quiet" icon="cross" aria-label="Close the record" onClick={onClose} />
      </header>
      {trouble !== undefined && <Trouble title="The record could not be loaded" error={trouble} onRetry={reload} />}
      {!value && trouble === undefined && <Loading what="the record" />}
      {value?.call && <Call call={value.call} sequence={sequence} />}
      {value && <Entry entry={value.entry} />}
    </aside>
  )
}

async function copyLink(): Promise<void> {
  try {
    await navigator.clipboard.writeText(location.href)
    toast('The address of this record is in the clipboard.', 'info')
  } catch {
    toast('The browser does not let this page write to the clipboard; the address stands above.', 'danger')
  }
}

const Call = ({ call, sequence }: { call: AuditCall; sequence: number }) => (
  <dl class="facts">
    <dt>Outcome</dt>
    <dd>
      {call.outcome === undefined ? <Badge>not known</Badge> : <OutcomeBadge outcome={call.outcome} reason={call.reason} />}
      {call.durationMs !== undefined && <span class="muted"> after {span(call.durationMs)}</span>}
    </dd>
    <dt>Tool</dt>
    <dd>
      <Text of={call.tool} mono />
    </dd>
    <dt>Caller</dt>
    <dd>
      <Text of={call.caller} />
    </dd>
    {call.server !== undefined && (
      <>
        <dt>Server</dt>
        <dd>
          <Text of={call.server} />
        </dd>
      </>
    )}
    <dt>Begun</dt>
    <dd>
      <Time at={call.at} />
      {call.continued && <span class="muted"> with the answer to a question</span>}
    </dd>
    <dt>Records</dt>
    <dd>
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
    </dd>
  </dl>
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

/** As it stands in the log, with what chains it to the record before. */
function Entry({ entry: { text, hash } }: { entry: AuditEntry }) {
  const { sequence: _, previous, ...said }: JsonObject = JSON.parse(text)
  return (
    <>
      <h3>What was written</h3>
      <Json of={said} open={3} />
      <h3>Its place in the chain</h3>
      <dl class="facts audit-hashes">
        <dt>Its hash</dt>
        <dd class="mono">{hash}</dd>
        <dt>Names</dt>
        <dd class="mono">{typeof previous === 'string' ? previous : 'nothing: it is the first'}</dd>
      </dl>
      <p class="muted little">
        Each record names the hash of the one before. Arguments are kept as digests: equal values have equal ones, and nobody can
        read them back.
      </p>
    </>
  )
}
