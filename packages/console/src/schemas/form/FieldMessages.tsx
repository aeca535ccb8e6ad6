import { Text } from '../../parts/text/Text.js'
import type { FieldPlace } from './field-place.js'
import { messagesAt } from './form-state.js'

/** What is wrong with a field, where somebody looks for it. */
export function FieldMessages({ place }: { place: FieldPlace }) {
  const messages = messagesAt(place.form, place.path)
  return (
    <div class="messages" id={`${place.id}:messages`}>
      {messages.map((message) => (
        <p class="error" key={message}>
          <Text of={sentence(message)} />
        </p>
      ))}
    </div>
  )
}

const sentence = (message: string): string => `${message.charAt(0).toUpperCase()}${message.slice(1)}.`
