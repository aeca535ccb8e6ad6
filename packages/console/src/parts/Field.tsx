import type { ComponentChildren } from 'preact'
import { useId } from 'preact/hooks'

/** What the control of a field needs: its id, and what describes it. */
export type ControlAttributes = { readonly id: string; readonly 'aria-describedby'?: string; readonly 'aria-invalid'?: true }

type Props = {
  readonly label: ComponentChildren
  readonly hint?: ComponentChildren
  /** What is wrong with it, and what to do. */
  readonly error?: string | undefined
  readonly required?: boolean
  /** The control: `{(control) => <input {...control} … />}` */
  readonly children: (control: ControlAttributes) => ComponentChildren
}

/** A control with its label, a hint and an error, tied together. */
export function Field({ label, hint, error, required, children }: Props) {
  const id = useId()
  const described = [hint ? `${id}-hint` : '', error ? `${id}-error` : ''].filter(Boolean).join(' ')
  const control: ControlAttributes = {
    id,
    ...(described && { 'aria-describedby': described }),
    ...(error && { 'aria-invalid': true }),
  }
  return (
    <div class={error ? 'field wrong' : 'field'}>
      <label for={id}>
        {label}
        {required && <span class="required"> (required)</span>}
      </label>
      {hint && (
        <p class="hint" id={`${id}-hint`}>
          {hint}
        </p>
      )}
      {children(control)}
      {error && (
        <p class="error" id={`${id}-error`} role="alert">
          {error}
        </p>
      )}
    </div>
  )
}
