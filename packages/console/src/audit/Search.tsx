import { useEffect, useRef, useState } from 'preact/hooks'
import { Button } from '../parts/Button.js'
import { InputField, SelectField } from '../parts/Field.js'
import { type AuditFilter, emptyFilter, isFiltered, isSameFilter } from './audit-filter.js'

const outcomes: readonly (readonly [string, string])[] = [
  ['', 'Any outcome'],
  ['ok', 'Done'],
  ['error', 'The tool failed'],
  ['refused', 'Refused'],
  ['asked', 'Had a question'],
  ['cancelled', 'Cancelled'],
  ['failed', 'No result'],
  ['open', 'Not known'],
]

const names = [
  ['tool', 'Tool'],
  ['caller', 'Caller'],
  ['server', 'Server'],
] as const

const decisions: readonly (readonly [string, string])[] = [
  ['', 'Any decision'],
  ['allowed', 'Allowed'],
  ['refused', 'Refused'],
]

type Props = { readonly filter: AuditFilter; readonly onFilter: (filter: AuditFilter) => void }

/** The filter fields. A text applies after Enter, or when its field loses the focus. */
export function Search({ filter, onFilter }: Props) {
  const [written, setWritten] = useState(filter)
  const [isAll, setAll] = useState(false)
  const sent = useRef(filter)
  // A filter that was sent from here comes back older than the text typed since.
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
    onText: (text: string) => setWritten({ ...written, [name]: text }),
    onChange: () => change({}),
  })
  const moment = (name: 'from' | 'to') => ({
    type: 'datetime-local' as const,
    value: written[name],
    onText: (text: string) => setWritten({ ...written, [name]: text }),
    onChange: ({ currentTarget }: { currentTarget: HTMLInputElement }) => change({ [name]: currentTarget.value }),
  })
  return (
    <search class="card padded audit-search">
      <form class={isAll ? 'audit-fields all' : 'audit-fields'} onSubmit={submit}>
        <InputField label="Anywhere in the record" type="search" placeholder="A name, an id, a reason" {...inputFor('text')} />
        {names.map(([name, label]) => (
          <InputField label={label} key={name} autocomplete="off" spellcheck={false} {...inputFor(name)} />
        ))}
        <SelectField label="Outcome" choices={outcomes} value={written.outcome} onChange={(outcome) => change({ outcome })} />
        <SelectField
          label="Decision"
          choices={decisions}
          value={written.decision}
          onChange={(decision) => change({ decision })}
        />
        <InputField label="From" {...moment('from')} />
        <InputField label="To" {...moment('to')} />
        <div class="cluster">
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
