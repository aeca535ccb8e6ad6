import { useEffect } from 'preact/hooks'
import { Button } from '../parts/Button.js'
import { Dialog } from '../parts/Dialog.js'
import { Loading } from '../parts/Empty.js'
import { toast } from '../parts/Toast.js'
import { ChangePlan } from './ChangePlan.js'
import { usePlan } from './use-plan.js'

type Props = { readonly id: string; readonly onClose: () => void; readonly onDone: () => void }

export function RemoveServer({ id, onClose, onDone }: Props) {
  const { plan, trouble, isBusy, look, confirm } = usePlan(() => {
    toast(`${id} was removed from the config.`)
    onDone()
  })
  useEffect(() => void look({ what: 'remove', id }), [id])
  const actions = (
    <>
      <Button onClick={onClose}>Cancel</Button>
      <Button variant="danger" busy={isBusy} disabled={!plan} onClick={() => void confirm()}>
        Remove the server
      </Button>
    </>
  )
  return (
    <Dialog title={`Remove ${id}?`} onClose={onClose} actions={actions} wide>
      <p>Its tools are no longer offered, and its running calls end.</p>
      {trouble !== undefined && (
        <p class="plan-trouble" role="alert">
          {trouble}
        </p>
      )}
      {plan ? <ChangePlan plan={plan} /> : trouble === undefined && <Loading what="what changes" />}
    </Dialog>
  )
}
