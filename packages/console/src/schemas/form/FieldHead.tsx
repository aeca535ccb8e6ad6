import { Badge } from '../../parts/Badge.js'
import { Button } from '../../parts/Button.js'
import { markedText, Text } from '../../parts/text/Text.js'
import type { FieldKind } from '../field-kinds.js'
import type { Json } from '../json.js'
import type { SchemaNotes } from '../members.js'
import type { FieldPlace } from './field-place.js'
import { enterValue, omitValue } from './form-state.js'

type SendingProps = {
  readonly place: FieldPlace
  readonly label: string
  readonly kind: FieldKind
  readonly value: Json | undefined
}
type Props = SendingProps & {
  readonly told: SchemaNotes
  readonly required: boolean
  readonly canLeave: boolean
  /** The field is one control, which its name labels. */
  readonly isSingle: boolean
}

/** The name of a field, with buttons to send or omit its value. */
export function FieldHead({ told: { title, deprecated, readOnly }, required, canLeave, isSingle, ...field }: Props) {
  const { place, label } = field
  const name = (
    <>
      <Text of={title ?? label} class="field-name" />
      {title !== undefined && title !== label && <Text before=" " of={label} mono class="muted little" />}
    </>
  )
  return (
    <div class="field-head cluster">
      {isSingle ? <label for={place.id}>{name}</label> : <span id={`${place.id}:name`}>{name}</span>}
      {required && <span class="required muted">required</span>}
      {deprecated && <Badge tone="warning">no longer used</Badge>}
      {readOnly && <Badge>the tool sets it</Badge>}
      {canLeave && <Sending {...field} label={title ?? label} />}
    </div>
  )
}

/** An empty value may be intended, but is sent only if the user says so. */
const empties: { readonly [kind in FieldKind]?: readonly [words: string, value: Json] } = {
  text: ['Send an empty text', ''],
  list: ['Send an empty list', []],
  choices: ['Send an empty list', []],
}

function Sending({ place: { form, path }, label, kind, value }: SendingProps) {
  const empty = empties[kind]
  if (value !== undefined)
    return (
      <Button
        small
        variant="quiet"
        class="sending push"
        aria-label={`Leave out ${markedText(label)}`}
        onClick={() => omitValue(form, path)}
      >
        Leave out
      </Button>
    )
  return (
    <span class="sending push muted little">
      {kind !== 'truth' && kind !== 'either' && kind !== 'choice' && 'Not sent'}
      {empty && (
        <Button
          small
          variant="quiet"
          title={empty[0]}
          aria-label={`Send empty: ${markedText(label)}`}
          onClick={() => enterValue(form, path, empty[1])}
        >
          Send empty
        </Button>
      )}
    </span>
  )
}
