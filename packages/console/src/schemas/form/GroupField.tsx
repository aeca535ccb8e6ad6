import { useState } from 'preact/hooks'
import { Button } from '../../parts/Button.js'
import { markedText } from '../../parts/hidden-characters.js'
import { at, renamed } from '../editing.js'
import { isObject, type Json, type JsonObject } from '../json.js'
import { freshName, type Member, mayHaveOthers, membersOf, schemaOfOther } from '../members.js'
import { somethingFor } from '../starting.js'
import { FieldOf } from './FieldOf.js'
import { enter } from './form-state.js'
import { ElsewhereField } from './OtherFields.js'
import { type FieldProps, inside, type Place } from './place.js'

/** Values with names, one below the other. */
export function GroupField(props: FieldProps) {
  const { place, shape, value } = props
  if (value === undefined)
    return (
      <Button small icon="right" onClick={() => enter(place.form, place.path, somethingFor(place.form.document, shape))}>
        Fill in
      </Button>
    )
  if (!isObject(value)) return <ElsewhereField {...props} />
  return <GroupMembers place={place} shape={shape} value={value} nothing="Nothing is in it." />
}

type MembersProps = { place: Place; shape: JsonObject; value: Json; nothing: string }

const mostMembers = 200

export function GroupMembers({ place, shape, value, nothing }: MembersProps) {
  const members = membersOf(shape, value)
  const add = () => {
    // What is there now may be more than was shown when somebody clicked.
    const name = freshName(at(place.form.value.value, place.path))
    enter(place.form, [...place.path, name], somethingFor(place.form.document, schemaOfOther(shape, name)))
  }
  return (
    <div class="members">
      {members.slice(0, mostMembers).map((member, index) => (
        // A member that is being renamed is still the same field.
        <MemberField key={member.extra ? `extra-${index}` : member.name} place={place} member={member} value={value} />
      ))}
      {members.length > mostMembers && <p class="muted">There are {members.length - mostMembers} more: see the raw JSON.</p>}
      {members.length === 0 && <p class="muted">{nothing}</p>}
      {mayHaveOthers(shape) && (
        <Button small onClick={add}>
          Add a value with a name of its own
        </Button>
      )}
    </div>
  )
}

function MemberField({ place, member: { name, schema, required, extra }, value }: { place: Place; member: Member; value: Json }) {
  const common = { place: inside(place, name), schema, required }
  if (!extra || !isObject(value)) return <FieldOf {...common} label={name} />
  return (
    <fieldset class="own-name" aria-label={markedText(name)}>
      <OwnName name={name} onRename={(next) => enter(place.form, place.path, renamed(value, name, next))} />
      <FieldOf {...common} label="Value" />
    </fieldset>
  )
}

/** The name of a value that the schema does not name. */
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
