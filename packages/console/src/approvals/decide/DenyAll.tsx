import { useState } from 'preact/hooks'
import { Button } from '../../parts/Button.js'
import { Dialog } from '../../parts/Dialog.js'
import { Field } from '../../parts/Field.js'
import { errorText } from '../../parts/Problem.js'
import { toast } from '../../parts/Toast.js'
import { Text } from '../../parts/text/Text.js'
import { countText } from '../count-text.js'
import { loadQueue } from '../queue/follow-queue.js'
import type { QueueGroup } from '../queue/queue.js'
import { denyAll } from './decision.js'

/** Says no to a flood. */
export function DenyAll({ group, onClose }: { readonly group: QueueGroup; readonly onClose: () => void }) {
  const { tool, caller, count } = group
  const [reason, setReason] = useState('')
  const [isBusy, setBusy] = useState(false)

  async function deny(): Promise<void> {
    setBusy(true)
    try {
      const { denied } = await denyAll(group, reason.trim())
      toast(`Denied ${countText(denied, 'call')}`)
      onClose()
      await loadQueue()
    } catch (thrown) {
      toast(`The calls could not be denied: ${errorText(thrown)}`, 'danger')
      setBusy(false)
    }
  }

  return (
    <Dialog
      title={`Deny all ${countText(count, 'call')}`}
      onClose={onClose}
      actions={
        <>
          <Button onClick={onClose}>Keep them pending</Button>
          <Button variant="danger" busy={isBusy} onClick={deny}>
            Deny all
          </Button>
        </>
      }
    >
      <p>
        Every call of <Text of={tool} mono /> by <Text of={caller} /> that is pending when you press the button is denied. Later
        calls need a new decision.
      </p>
      <Field label="Reason" hint="The model reads it.">
        {(control) => (
          <input {...control} maxLength={1_000} value={reason} onInput={({ currentTarget }) => setReason(currentTarget.value)} />
        )}
      </Field>
    </Dialog>
  )
}
