import { useId } from 'preact/hooks'
import { get } from '../api/api.js'
import { useLoaded } from '../api/loaded.js'
import type { Tools } from '../api/types.js'
import { Field } from '../parts/Field.js'
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
export function CallFields({ way, form, text, onForm, onText, problem }: Props) {
  const names = useId()
  const { value } = useLoaded((signal) => get<Tools>('/tools', {}, signal), [])
  if (way === 'json')
    return (
      <Field label="Call" hint="As rules write it, as a tools/call message, or as a model asked for it" error={problem}>
        {(control) => (
          <textarea
            {...control}
            class="mono"
            rows={12}
            spellcheck={false}
            placeholder={example}
            value={text}
            onInput={({ currentTarget }) => onText(currentTarget.value)}
          />
        )}
      </Field>
    )
  return (
    <div class="call-fields">
      <Field label="Tool" hint="By the name that callers know" error={problem}>
        {(control) => (
          <input
            {...control}
            class="mono"
            list={names}
            autocomplete="off"
            value={form.tool}
            onInput={({ currentTarget }) => onForm({ ...form, tool: currentTarget.value })}
          />
        )}
      </Field>
      <datalist id={names}>
        {value?.tools.map(({ name }) => (
          <option key={name} value={name} />
        ))}
      </datalist>
      <Field label="Caller" hint="Empty: somebody without a name">
        {(control) => (
          <input
            {...control}
            value={form.caller}
            onInput={({ currentTarget }) => onForm({ ...form, caller: currentTarget.value })}
          />
        )}
      </Field>
      <Field label="Scopes" hint="With spaces between them">
        {(control) => (
          <input
            {...control}
            value={form.scopes}
            onInput={({ currentTarget }) => onForm({ ...form, scopes: currentTarget.value })}
          />
        )}
      </Field>
      <Field label="Arguments" hint="As JSON">
        {(control) => (
          <textarea
            {...control}
            class="mono"
            rows={6}
            spellcheck={false}
            value={form.arguments}
            onInput={({ currentTarget }) => onForm({ ...form, arguments: currentTarget.value })}
          />
        )}
      </Field>
    </div>
  )
}
