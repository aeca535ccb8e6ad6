import { Button } from '../../parts/Button.js'
import { withMovedItem } from '../edit-value.js'
import { requiredInitialValue } from '../initial-value.js'
import type { Json } from '../json.js'
import { mayHaveItem, schemaOfItem } from '../members.js'
import { type FieldPlace, type FieldProps, placeInside } from './field-place.js'
import { addItem, enterList } from './form-state.js'
import { UnsupportedField } from './OtherFields.js'
import { SchemaField } from './SchemaField.js'

const mostItems = 100

export function ArrayField(props: FieldProps) {
  const { place, shape, value } = props
  if (value !== undefined && !Array.isArray(value)) return <UnsupportedField {...props} />
  const list = value ?? []
  const { form, path } = place
  const add = () => addItem(form, path, (index) => requiredInitialValue(form.document, schemaOfItem(shape, index)))
  return (
    <div class="list stack">
      <ol class="stack">
        {list.slice(0, mostItems).map((_, at) => (
          <Item key={at} place={place} list={list} at={at} schema={schemaOfItem(shape, at)} />
        ))}
      </ol>
      {list.length > mostItems && <p class="muted">There are {list.length - mostItems} more: see the raw JSON.</p>}
      {value?.length === 0 && <p class="little muted">An empty list is sent.</p>}
      {mayHaveItem(shape, list.length) && (
        <Button small onClick={add}>
          Add an item
        </Button>
      )}
    </div>
  )
}

type ItemProps = { place: FieldPlace; list: readonly Json[]; at: number; schema: Json }

function Item({ place, list, at, schema }: ItemProps) {
  const name = `item ${at + 1}`
  const move = (words: string, to: number) => (
    <Button
      small
      variant="quiet"
      aria-label={`Move ${name} ${words.toLowerCase()}`}
      onClick={() => enterList(place.form, place.path, withMovedItem(list, at, to))}
    >
      {words}
    </Button>
  )
  return (
    <li class="list-item stack close">
      <SchemaField place={placeInside(place, at)} schema={schema} label={`Item ${at + 1}`} required item />
      <div class="item-actions cluster">
        {at > 0 && move('Up', at - 1)}
        {at < list.length - 1 && move('Down', at + 1)}
        <Button
          small
          variant="quiet"
          icon="cross"
          aria-label={`Remove ${name}`}
          onClick={() => enterList(place.form, place.path, list.toSpliced(at, 1))}
        />
      </div>
    </li>
  )
}
