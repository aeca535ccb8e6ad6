import type { Call } from '../api/types.js'
import { Badge } from '../parts/Badge.js'
import { Dialog } from '../parts/Dialog.js'
import { Json } from '../parts/Json.js'
import { Text } from '../parts/Text.js'
import { Elapsed, Time } from '../parts/Time.js'
import { CallProgress } from './CallProgress.js'

type Props = { readonly call: Call; readonly isOver: boolean; readonly onClose: () => void }

/** A call that is under way, or was when this was opened, with all that it was called with. */
export const CallDetail = ({ call, isOver, onClose }: Props) => (
  <Dialog title={`Call ${call.id}`} onClose={onClose} wide>
    <dl class="facts">
      <dt>Tool</dt>
      <dd>
        <Text of={call.tool} mono />
      </dd>
      <dt>Caller</dt>
      <dd>
        <Text of={call.caller} />
      </dd>
      <dt>Server</dt>
      <dd>
        <Text of={call.server} />
      </dd>
      {call.set !== undefined && (
        <>
          <dt>Toolset</dt>
          <dd>
            <Text of={call.set} />
          </dd>
        </>
      )}
      <dt>Begun</dt>
      <dd>
        <Time at={call.startedAt} />
        {!isOver && (
          <>
            , <Elapsed since={call.startedAt} /> ago
          </>
        )}
      </dd>
      <dt>Progress</dt>
      <dd>{isOver ? <Badge>over</Badge> : <CallProgress call={call} />}</dd>
    </dl>
    <h3>Arguments</h3>
    {call.cut && <p class="muted little">They are long, and cut here. The audit log has more of them.</p>}
    <Json of={call.arguments} open={4} />
  </Dialog>
)
