import type { ComponentChildren, TextareaHTMLAttributes } from 'preact'
import { useId } from 'preact/hooks'
import { Choice, type ChoiceProps } from './Choice.js'

/** Attributes that connect a control to its label, hint and error. */
export type ControlAttributes = { readonly id: string; readonly 'aria-describedby'?: string; readonly 'aria-invalid'?: true }

type Around = {
  readonly label: ComponentChildren
  readonly hint?: ComponentChildren
  /** The error, and how to fix it. */
  readonly error?: string | undefined
}

/** A control with its label, hint and error: `{(control) => <input {...control} … />}` */
function Field({ label, hint, error, children }: Around & { children: (control: ControlAttributes) => ComponentChildren }) {
  const id = useId()
  const described = [hint ? `${id}-hint` : '', error ? `${id}-error` : ''].filter(Boolean).join(' ')
  const control: ControlAttributes = {
    id,
    ...(described && { 'aria-describedby': described }),
    ...(error && { 'aria-invalid': true }),
  }
  return (
    <div class={error ? 'field stack close wrong' : 'field stack close'}>
      <label for={id}>{label}</label>
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

type Entered = { readonly value: string; readonly onText: (text: string) => void }
type LineProps = Around &
  Entered & {
    readonly type?: 'search' | 'datetime-local'
    readonly class?: string
    readonly list?: string
    readonly placeholder?: string
    readonly autocomplete?: 'off'
    readonly spellcheck?: boolean
    readonly maxLength?: number
    readonly onChange?: (event: { readonly currentTarget: HTMLInputElement }) => void
  }
type LinesProps = Around & Entered & Omit<TextareaHTMLAttributes, 'value' | 'label' | 'onInput'>

export const InputField = ({ label, hint, error, onText, ...input }: LineProps) => (
  <Field label={label} hint={hint} error={error}>
    {(control) => <input {...control} {...input} onInput={({ currentTarget }) => onText(currentTarget.value)} />}
  </Field>
)

export const CodeField = ({ label, hint, error, onText, ...area }: LinesProps) => (
  <Field label={label} hint={hint} error={error}>
    {(control) => (
      <textarea
        class="mono"
        spellcheck={false}
        {...control}
        {...area}
        onInput={({ currentTarget }) => onText(currentTarget.value)}
      />
    )}
  </Field>
)

export const SelectField = <T extends string | number>({ label, hint, error, ...choice }: Around & ChoiceProps<T>) => (
  <Field label={label} hint={hint} error={error}>
    {(control) => <Choice {...control} {...choice} />}
  </Field>
)
