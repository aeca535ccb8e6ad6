import { useState } from 'preact/hooks'
import { Button } from '../../parts/Button.js'
import { countText } from '../../parts/count-text.js'
import { Dialog } from '../../parts/Dialog.js'
import { InputField } from '../../parts/Field.js'
import { toast } from '../../parts/Toast.js'
import { Text } from '../../parts/text/Text.js'
import { WorkButton } from '../../parts/WorkButton.js'
import { loadQueue } from '../queue/follow-queue.js'
import type { QueueGroup } from '../queue/queue.js'
import { denyAll } from './decision.js'

export function DenyAll({ group, onClose }: { readonly group: QueueGroup; readonly onClose: () => void }) {
  const { tool, caller, count } = group
  const [reason, setReason] = useState('')

  async function deny(): Promise<void> {
    const { denied } = await denyAll(group, reason.trim())
    toast(`Denied ${countText(denied, 'call')}`)
    onClose()
    await loadQueue()
  }

  const actions = (
    <>
      <Button onClick={onClose}>Keep them pending</Button>
      <WorkButton variant="danger" work={deny} failed="The calls could not be denied">
        Deny all
      </WorkButton>
    </>
  )
  return (
    <Dialog title={`Deny all ${countText(count, 'call')}`} onClose={onClose} actions={actions}>
      <p>
        Every call of <Text of={tool} mono /> by <Text of={caller} /> that is pending when you press the button is denied. Later
        calls need a new decision.
      </p>
      <InputField label="Reason" hint="The model reads it." maxLength={1_000} value={reason} onText={setReason} />
    </Dialog>
  )
}
