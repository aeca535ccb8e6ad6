import type { Json } from '../json.js'
import type { FieldProps } from './field-place.js'
import { enterValue } from './form-state.js'
import { UnsupportedField } from './OtherFields.js'

const answers: readonly { readonly words: string; readonly value: boolean | undefined }[] = [
  { words: 'Yes', value: true },
  { words: 'No', value: false },
  { words: 'Not sent', value: undefined },
]

/** Yes or no; where nothing has to be said, that is the third answer. */
export function BooleanField(props: FieldProps) {
  const { place, value, required } = props
  if (value !== undefined && typeof value !== 'boolean') return <UnsupportedField {...props} />
  return (
    <div class="answers">
      {answers
        .filter((answer) => answer.value !== undefined || !required)
        .map((answer) => (
          <Answer
            key={answer.words}
            name={place.id}
            {...answer}
            current={value}
            onChoose={(next) => enterValue(place.form, place.path, next)}
          />
        ))}
    </div>
  )
}

type AnswerProps = {
  name: string
  words: string
  value: boolean | undefined
  current: Json | undefined
  onChoose: (next: boolean | undefined) => void
}

const Answer = ({ name, words, value, current, onChoose }: AnswerProps) => (
  <label>
    <input type="radio" name={name} checked={current === value} onChange={() => onChoose(value)} /> {words}
  </label>
)
