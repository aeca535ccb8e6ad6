import { useState } from 'preact/hooks'
import { Button } from '../../parts/Button.js'
import { markedText } from '../../parts/text/Text.js'
import { valueAt, withRenamedMember } from '../edit-value.js'
import { requiredInitialValue } from '../initial-value.js'
import { isObject, type Json, type JsonObject } from '../json.js'
import { freshName, type Member, mayHaveOthers, membersOf, schemaOfOther } from '../members.js'
import { type FieldPlace, type FieldProps, placeInside } from './field-place.js'
import { enterValue } from './form-state.js'
import { UnsupportedField } from './OtherFields.js'
import { SchemaField } from './SchemaField.js'

export function ObjectField(props: FieldProps) {
  const { place, shape, value } = props
  const { form, path } = place
  if (value === undefined)
    return (
      <Button small icon="right" onClick={() => enterValue(form, path, requiredInitialValue(form.document, shape))}>
        Fill in
      </Button>
    )
  if (!isObject(value)) return <UnsupportedField {...props} />
  return <ObjectMembers place={place} shape={shape} value={value} nothing="The object is empty." />
}

type MembersProps = { place: FieldPlace; shape: JsonObject; value: Json; nothing: string }

const mostMembers = 200

export function ObjectMembers({ place, shape, value, nothing }: MembersProps) {
  const members = membersOf(shape, value)
  const add = () => {
    // The current value may have more members than were shown at the time of the click.
    const name = freshName(valueAt(place.form.value.value, place.path))
    enterValue(place.form, [...place.path, name], requiredInitialValue(place.form.document, schemaOfOther(shape, name)))
  }
  return (
    <div class="members stack far">
      {members.slice(0, mostMembers).map((member, index) => (
        // A renamed member keeps its key, so that its field is not replaced.
        <MemberField key={member.extra ? `extra-${index}` : member.name} place={place} member={member} value={value} />
      ))}
      {members.length > mostMembers && <p class="muted">There are {members.length - mostMembers} more: see the raw JSON.</p>}
      {members.length === 0 && <p class="muted">{nothing}</p>}
      {mayHaveOthers(shape) && (
        <Button small onClick={add}>
          Add a named value
        </Button>
      )}
    </div>
  )
}

type MemberProps = { place: FieldPlace; member: Member; value: Json }

function MemberField({ place, member: { name, schema, required, extra }, value }: MemberProps) {
  const common = { place: placeInside(place, name), schema, required }
  if (!extra || !isObject(value)) return <SchemaField {...common} label={name} />
  return (
    <fieldset class="own-name stack close" aria-label={markedText(name)}>
      <OwnName name={name} onRename={(next) => enterValue(place.form, place.path, withRenamedMember(value, name, next))} />
      <SchemaField {...common} label="Value" />
    </fieldset>
  )
}

/** An editable name of a member that is not in the schema. */
function OwnName({ name, onRename }: { name: string; onRename: (next: string) => void }) {
  const [typed, setTyped] = useState<string>()
  const done = () => {
    if (typed !== undefined) onRename(typed)
    setTyped(undefined)
  }
  return (
    <label class="little">
      Name{' '}
      <input
        value={typed ?? name}
        onInput={({ currentTarget }) => setTyped(currentTarget.value)}
        onBlur={done}
        autocomplete="off"
      />
    </label>
  )
}
