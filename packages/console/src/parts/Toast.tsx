import { signal } from '@preact/signals'
import { Button } from './Button.js'
import { Text } from './text/Text.js'

type Message = { readonly id: number; readonly words: string; readonly tone: 'ok' | 'danger' | 'info' }

const messages = signal<readonly Message[]>([])
const staysMs = 6_000
const mostAtOnce = 4
let last = 0

/** Shows a message at the edge of the page for a while; an error stays until it is dismissed. */
export function toast(words: string, tone: Message['tone'] = 'ok'): void {
  const id = ++last
  messages.value = [...messages.value.slice(1 - mostAtOnce), { id, words, tone }]
  if (tone !== 'danger') setTimeout(() => dismiss(id), staysMs)
}

function dismiss(id: number): void {
  messages.value = messages.value.filter((one) => one.id !== id)
}

/** The place of the toasts; used once on the page. */
export const Toasts = () => (
  <div class="toasts" role="status" aria-live="polite">
    {messages.value.map(({ id, words, tone }) => (
      <div class={`toast ${tone}`} key={id}>
        <Text of={words} />
        <Button variant="quiet" small icon="cross" aria-label="Dismiss" onClick={() => dismiss(id)} />
      </div>
    ))}
  </div>
)
