import { useEffect, useRef, useState } from 'preact/hooks'
import { Button } from '../parts/Button.js'
import { Field } from '../parts/Field.js'
import { type AuditFilter, emptyFilter, isFiltered, isSameFilter } from './audit-filter.js'

const outcomes = [
  ['', 'Any outcome'],
  ['ok', 'Done'],
  ['error', 'The tool failed'],
  ['refused', 'Refused'],
  ['asked', 'Had a question'],
  ['cancelled', 'Cancelled'],
  ['failed', 'No result'],
  ['open', 'Not known'],
] as const

const names = [
  ['tool', 'Tool'],
  ['caller', 'Caller'],
  ['server', 'Server'],
] as const

const decisions = [
  ['', 'Any decision'],
  ['allowed', 'Allowed'],
  ['refused', 'Refused'],
] as const

type Props = { readonly filter: AuditFilter; readonly onFilter: (filter: AuditFilter) => void }

/** What to look for. Texts count when they are complete: after Enter, or when the field is left. */
export function Search({ filter, onFilter }: Props) {
  const [written, setWritten] = useState(filter)
  const [isAll, setAll] = useState(false)
  const sent = useRef(filter)
  // What comes back of what was sent from here is older than what has been written since.
  useEffect(() => {
    if (!isSameFilter(filter, sent.current)) setWritten(filter)
    sent.current = filter
  }, [filter])
  function change(part: Partial<AuditFilter>): void {
    const next = { ...written, ...part }
    sent.current = next
    setWritten(next)
    onFilter(next)
  }
  function submit(event: Event): void {
    event.preventDefault()
    change({})
  }
  const inputFor = (name: 'text' | 'tool' | 'caller' | 'server') => ({
    value: written[name],
    onInput: ({ currentTarget }: { currentTarget: HTMLInputElement }) => setWritten({ ...written, [name]: currentTarget.value }),
    onChange: () => change({}),
  })
  return (
    <search class="card audit-search">
      <form class={isAll ? 'audit-fields all' : 'audit-fields'} onSubmit={submit}>
        <Field label="Anywhere in the record">
          {(control) => <input {...control} type="search" placeholder="A name, an id, a reason" {...inputFor('text')} />}
        </Field>
        {names.map(([name, label]) => (
          <Field label={label} key={name}>
            {(control) => <input {...control} autocomplete="off" spellcheck={false} {...inputFor(name)} />}
          </Field>
        ))}
        <Choice label="Outcome" choices={outcomes} value={written.outcome} onChange={(outcome) => change({ outcome })} />
        <Choice label="Decision" choices={decisions} value={written.decision} onChange={(decision) => change({ decision })} />
        <Moment label="From" value={written.from} onChange={(from) => change({ from })} />
        <Moment label="To" value={written.to} onChange={(to) => change({ to })} />
        <div class="audit-search-actions">
          <Button type="submit" icon="search">
            Search
          </Button>
          <Button class="audit-more" aria-expanded={isAll} onClick={() => setAll(!isAll)}>
            {isAll ? 'Fewer filters' : 'More filters'}
          </Button>
          <Button variant="quiet" disabled={!isFiltered(written)} onClick={() => change(emptyFilter)}>
            Show all
          </Button>
        </div>
      </form>
    </search>
  )
}

type ChoiceProps = {
  readonly label: string
  readonly choices: readonly (readonly [string, string])[]
  readonly value: string
  readonly onChange: (value: string) => void
}

const Choice = ({ label, choices, value, onChange }: ChoiceProps) => (
  <Field label={label}>
    {(control) => (
      <select {...control} value={value} onChange={({ currentTarget }) => onChange(currentTarget.value)}>
        {choices.map(([name, words]) => (
          <option key={name} value={name}>
            {words}
          </option>
        ))}
      </select>
    )}
  </Field>
)

const Moment = ({ label, value, onChange }: Omit<ChoiceProps, 'choices'>) => (
  <Field label={label}>
    {(control) => (
      <input {...control} type="datetime-local" value={value} onChange={({ currentTarget }) => onChange(currentTarget.value)} />
    )}
  </Field>
)
