import { CodeField, InputField } from '../parts/Field.js'
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

/** The fields of a server. A secret is shown as a placeholder, and is kept if the placeholder stays. */
export function ServerFields({ form, wrong, isNew, onForm }: Props) {
  const field = (name: keyof ServerForm) => ({
    value: form[name],
    error: wrong[name],
    spellcheck: false,
    autocomplete: 'off' as const,
    onText: (text: string) => onForm({ ...form, [name]: text }),
  })
  return (
    <form class="server-fields stack far" onSubmit={(event) => event.preventDefault()}>
      {isNew && <InputField label="Name" hint="Prefix of its tools' names" {...field('name')} />}
      {isNew && (
        <fieldset class="cluster server-kind">
          <legend>Kind of server</legend>
          {kinds.map(([kind, words]) => (
            <label class="check" key={kind}>
              <input type="radio" name="kind" checked={form.kind === kind} onChange={() => onForm({ ...form, kind })} /> {words}
            </label>
          ))}
        </fieldset>
      )}
      {form.kind === 'program' ? (
        <>
          <InputField label="Program" hint="A name or a path, such as npx" class="mono" {...field('command')} />
          <CodeField label="Arguments" hint="One per line; not read by a shell" rows={4} {...field('args')} />
          <CodeField
            label="Environment"
            hint="One NAME=value per line; ${env:NAME} copies a variable of the gateway"
            rows={3}
            {...field('env')}
          />
        </>
      ) : (
        <>
          <InputField label="Address" hint="URL of its MCP endpoint" class="mono" {...field('url')} />
          <CodeField label="Headers" hint="One Name: value per line" rows={3} {...field('headers')} />
        </>
      )}
    </form>
  )
}
