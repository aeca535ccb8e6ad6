import { useId } from 'preact/hooks'
import { getJson } from '../../api/api.js'
import type { ToolsAnswer } from '../../api/types.js'
import { useLoaded } from '../../api/use-loaded.js'
import { type ControlAttributes, Field } from '../../parts/Field.js'
import type { CallForm } from './written-call.js'

type Props = {
  readonly way: 'form' | 'json'
  readonly form: CallForm
  readonly text: string
  readonly onForm: (form: CallForm) => void
  readonly onText: (text: string) => void
  readonly problem: string | undefined
}

const example = '{ "tool": "read_file", "arguments": { "path": "/srv" }, "caller": "ana" }'

/** Where a call is written in fields, or pasted as it was found. */
export const CallFields = ({ way, form, text, onForm, onText, problem }: Props) =>
  way === 'json' ? (
    <Field label="Call" hint="As rules write it, as a tools/call message, or as a model asked for it" error={problem}>
      {(control) => <CodeText control={control} rows={12} placeholder={example} value={text} onText={onText} />}
    </Field>
  ) : (
    <InFields form={form} onForm={onForm} problem={problem} />
  )

function InFields({ form, onForm, problem }: Pick<Props, 'form' | 'onForm' | 'problem'>) {
  const names = useId()
  const { value } = useLoaded((signal) => getJson<ToolsAnswer>('/tools', {}, signal), [])
  const inputFor = (name: 'tool' | 'caller' | 'scopes') => ({
    value: form[name],
    onInput: ({ currentTarget }: { currentTarget: HTMLInputElement }) => onForm({ ...form, [name]: currentTarget.value }),
  })
  return (
    <div class="call-fields">
      <Field label="Tool" hint="The name that callers see" error={problem}>
        {(control) => <input {...control} class="mono" list={names} autocomplete="off" {...inputFor('tool')} />}
      </Field>
      <datalist id={names}>
        {value?.tools.map(({ name }) => (
          <option key={name} value={name} />
        ))}
      </datalist>
      <Field label="Caller" hint="Empty for an anonymous caller">
        {(control) => <input {...control} {...inputFor('caller')} />}
      </Field>
      <Field label="Scopes" hint="Separated by spaces">
        {(control) => <input {...control} {...inputFor('scopes')} />}
      </Field>
      <Field label="Arguments" hint="As JSON">
        {(control) => (
          <CodeText control={control} rows={6} value={form.arguments} onText={(text) => onForm({ ...form, arguments: text })} />
        )}
      </Field>
    </div>
  )
}

type CodeProps = {
  readonly control: ControlAttributes
  readonly rows: number
  readonly placeholder?: string
  readonly value: string
  readonly onText: (text: string) => void
}

const CodeText = ({ control, onText, ...more }: CodeProps) => (
  <textarea {...control} {...more} class="mono" spellcheck={false} onInput={({ currentTarget }) => onText(currentTarget.value)} />
)
