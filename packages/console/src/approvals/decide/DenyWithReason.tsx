import { useLayoutEffect, useRef, useState } from 'preact/hooks'
import { Button } from '../../parts/Button.js'
import { Field } from '../../parts/Field.js'

type Props = {
  /** What came of it, where it was no good. */
  readonly note: string | undefined
  readonly isSending: boolean
  readonly onDeny: (reason: string) => void
  readonly onBack: () => void
}

const longest = 1_000

/** A no, and the words that the model reads with it. */
export function DenyWithReason({ note, isSending, onDeny, onBack }: Props) {
  const [reason, setReason] = useState('')
  const place = useRef<HTMLInputElement>(null)
  // Before the next key: what is typed after d belongs to the reason.
  useLayoutEffect(() => place.current?.focus(), [])
  return (
    <form
      class="deny-with-reason"
      onSubmit={(event) => {
        event.preventDefault()
        if (!isSending) onDeny(reason.trim())
      }}
      onKeyDown={(event) => {
        if (event.key === 'Escape') onBack()
        // The key that opened this is still down.
        if (event.repeat && reason === '') event.preventDefault()
      }}
    >
      <Field label="Reason" hint="Optional. The model reads it.">
        {(control) => (
          <input
            {...control}
            ref={place}
            maxLength={longest}
            value={reason}
            onInput={({ currentTarget }) => setReason(currentTarget.value)}
          />
        )}
      </Field>
      <p class="deciding-note" role="status">
        {note}
      </p>
      <div class="deciding-buttons">
        <Button variant="danger" type="submit" busy={isSending}>
          Deny
        </Button>
        <Button onClick={onBack}>Back</Button>
      </div>
    </form>
  )
}
