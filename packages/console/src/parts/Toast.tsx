import { signal } from '@preact/signals'
import { Button } from './Button.js'
import { Text } from './text/Text.js'

type Said = { readonly id: number; readonly words: string; readonly tone: 'ok' | 'danger' | 'info' }

const said = signal<readonly Said[]>([])
const staysMs = 6_000
const mostAtOnce = 4
let last = 0

/** Shows a message at the edge of the page for a while; an error stays until it is dismissed. */
export function toast(words: string, tone: Said['tone'] = 'ok'): void {
  const id = ++last
  said.value = [...said.value.slice(1 - mostAtOnce), { id, words, tone }]
  if (tone !== 'danger') setTimeout(() => putAway(id), staysMs)
}

function putAway(id: number): void {
  said.value = said.value.filter((one) => one.id !== id)
}

/** The place of the toasts; used once on the page. */
export const Toasts = () => (
  <div class="toasts" role="status" aria-live="polite">
    {said.value.map(({ id, words, tone }) => (
      <div class={`toast ${tone}`} key={id}>
        <Text of={words} />
        <Button variant="quiet" small icon="cross" aria-label="Dismiss" onClick={() => putAway(id)} />
      </div>
    ))}
  </div>
)
