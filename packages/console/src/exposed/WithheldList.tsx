import { Text } from '../parts/text/Text.js'
import type { Withheld } from './exposure.js'

/** What servers have and nobody is offered, and why. */
export function WithheldList({ of }: { of: readonly Withheld[] }) {
  if (of.length === 0) return null
  return (
    <details class="withheld">
      <summary class="little">Not offered to anybody: {of.length}</summary>
      <ul>
        {of.map(({ server, kind, name, why }, at) => (
          <li key={at} class="little">
            <Text of={name} mono />{' '}
            <span class="muted">
              (<Text of={kind} /> of <Text of={server} />) <Text of={why} />
            </span>
          </li>
        ))}
      </ul>
    </details>
  )
}
