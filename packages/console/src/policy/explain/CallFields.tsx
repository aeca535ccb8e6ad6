import { useId } from 'preact/hooks'
import type { ToolsAnswer } from '../../api/types.js'
import { useGet } from '../../api/use-loaded.js'
import { CodeField, InputField } from '../../parts/Field.js'
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
const hint = 'In the form of a rule, of a tools/call message, or of a tool call by a model'

export const CallFields = ({ way, form, text, onForm, onText, problem }: Props) =>
  way === 'json' ? (
    <CodeField label="Call" hint={hint} error={problem} rows={12} placeholder={example} value={text} onText={onText} />
  ) : (
    <InFields form={form} onForm={onForm} problem={problem} />
  )

function InFields({ form, onForm, problem }: Pick<Props, 'form' | 'onForm' | 'problem'>) {
  const names = useId()
  const { value } = useGet<ToolsAnswer>('/tools')
  const field = (name: keyof CallForm) => ({
    value: form[name],
    onText: (text: string) => onForm({ ...form, [name]: text }),
  })
  return (
    <div class="call-fields stack">
      <InputField
        label="Tool"
        hint="The name that callers see"
        error={problem}
        class="mono"
        list={names}
        autocomplete="off"
        {...field('tool')}
      />
      <datalist id={names}>
        {value?.tools.map(({ name }) => (
          <option key={name} value={name} />
        ))}
      </datalist>
      <InputField label="Caller" hint="Empty for an anonymous caller" {...field('caller')} />
      <InputField label="Scopes" hint="Separated by spaces" {...field('scopes')} />
      <CodeField label="Arguments" hint="As JSON" rows={6} {...field('arguments')} />
    </div>
  )
}
