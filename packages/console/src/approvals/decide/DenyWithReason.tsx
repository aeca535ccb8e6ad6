import { useLayoutEffect, useRef, useState } from 'preact/hooks'
import { Button } from '../../parts/Button.js'
import { InputField } from '../../parts/Field.js'

type Props = {
  /** Why the last attempt failed, if it did. */
  readonly note: string | undefined
  readonly isSending: boolean
  readonly onDeny: (reason: string) => void
  readonly onBack: () => void
}

/** Denies a call with a reason for the model. */
export function DenyWithReason({ note, isSending, onDeny, onBack }: Props) {
  const [reason, setReason] = useState('')
  const place = useRef<HTMLFormElement>(null)
  // In a layout effect, before the next key: text typed after d belongs to the reason.
  useLayoutEffect(() => place.current?.querySelector('input')?.focus(), [])
  return (
    <form
      class="deny-with-reason stack"
      ref={place}
      onSubmit={(event) => {
        event.preventDefault()
        if (!isSending) onDeny(reason.trim())
      }}
      onKeyDown={(event) => {
        if (event.key === 'Escape') onBack()
        // The key that opened this form is still pressed.
        if (event.repeat && reason === '') event.preventDefault()
      }}
    >
      <InputField label="Reason" hint="Optional. The model reads it." maxLength={1_000} value={reason} onText={setReason} />
      <p class="deciding-note" role="status">
        {note}
      </p>
      <div class="deciding-buttons cluster">
        <Button variant="danger" type="submit" busy={isSending}>
          Deny
        </Button>
        <Button onClick={onBack}>Back</Button>
      </div>
    </form>
  )
}
