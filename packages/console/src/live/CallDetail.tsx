import type { Call } from '../api/types.js'
import { Badge } from '../parts/Badge.js'
import { Dialog } from '../parts/Dialog.js'
import { CalledFacts, Fact, Facts } from '../parts/Facts.js'
import { Json } from '../parts/text/Json.js'
import { Text } from '../parts/text/Text.js'
import { Elapsed, Time } from '../parts/time/Time.js'
import { CallProgress } from './CallProgress.js'

type Props = { readonly call: Call; readonly isOver: boolean; readonly onClose: () => void }

/** A call that is under way, or was when this was opened, with all that it was called with. */
export const CallDetail = ({ call, isOver, onClose }: Props) => (
  <Dialog title={`Call ${call.id}`} onClose={onClose} wide>
    <Facts>
      <CalledFacts of={call} />
      {call.set !== undefined && (
        <Fact name="Toolset">
          <Text of={call.set} />
        </Fact>
      )}
      <Fact name="Begun">
        <Time at={call.startedAt} />
        {!isOver && (
          <>
            , <Elapsed since={call.startedAt} /> ago
          </>
        )}
      </Fact>
      <Fact name="Progress">{isOver ? <Badge>over</Badge> : <CallProgress call={call} />}</Fact>
    </Facts>
    <h3>Arguments</h3>
    {call.cut && <p class="muted little">They are long, and cut here. The audit log has more of them.</p>}
    <Json of={call.arguments} open={4} />
  </Dialog>
)
