import { Field } from '../parts/Field.js'
import type { ServerForm, serverFormErrors } from './server-form.js'

type Props = {
  readonly form: ServerForm
  readonly wrong: ReturnType<typeof serverFormErrors>
  readonly isNew: boolean
  readonly onForm: (form: ServerForm) => void
}

const kinds = [
  ['program', 'A program on this machine'],
  ['address', 'An address'],
] as const

/** The fields of a server. What is secret comes as a placeholder, and stays what it is where the placeholder stays. */
export function ServerFields({ form, wrong, isNew, onForm }: Props) {
  const inputFor = (name: keyof ServerForm) => ({
    value: form[name],
    spellcheck: false,
    autocomplete: 'off',
    onInput: ({ currentTarget }: { currentTarget: HTMLInputElement | HTMLTextAreaElement }) =>
      onForm({ ...form, [name]: currentTarget.value }),
  })
  return (
    <form class="server-fields" onSubmit={(event) => event.preventDefault()}>
      {isNew && (
        <Field label="Name" hint="Prefix of its tools' names" error={wrong.name}>
          {(control) => <input {...control} {...inputFor('name')} />}
        </Field>
      )}
      {isNew && (
        <fieldset class="server-kind">
          <legend>What it is</legend>
          {kinds.map(([kind, words]) => (
            <label key={kind}>
              <input type="radio" name="kind" checked={form.kind === kind} onChange={() => onForm({ ...form, kind })} /> {words}
            </label>
          ))}
        </fieldset>
      )}
      {form.kind === 'program' ? (
        <>
          <Field label="Program" hint="A name or a path, such as npx" error={wrong.command}>
            {(control) => <input {...control} class="mono" {...inputFor('command')} />}
          </Field>
          <Field label="Arguments" hint="One per line; not read by a shell">
            {(control) => <textarea {...control} class="mono" rows={4} {...inputFor('args')} />}
          </Field>
          <Field
            label="Environment"
            hint="One NAME=value per line; ${env:NAME} copies a variable of the gateway"
            error={wrong.env}
          >
            {(control) => <textarea {...control} class="mono" rows={3} {...inputFor('env')} />}
          </Field>
        </>
      ) : (
        <>
          <Field label="Address" hint="URL of its MCP endpoint" error={wrong.url}>
            {(control) => <input {...control} class="mono" {...inputFor('url')} />}
          </Field>
          <Field label="Headers" hint="One Name: value per line" error={wrong.headers}>
            {(control) => <textarea {...control} class="mono" rows={3} {...inputFor('headers')} />}
          </Field>
        </>
      )}
    </form>
  )
}
