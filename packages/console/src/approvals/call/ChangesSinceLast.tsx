import type { Approval, Json } from '../../api/types.js'
import { Difference } from '../../parts/text/Difference.js'
import { markedText } from '../../parts/text/hidden-characters.js'
import { JsonText } from '../../parts/text/Json.js'
import { Text } from '../../parts/text/Text.js'
import { Ago } from '../../parts/time/Time.js'
import { countText } from '../count-text.js'
import type { ArgumentChange } from './argument-changes.js'

const mostCompared = 200_000
const isComparable = (...values: Json[]): boolean => JSON.stringify(values).length <= mostCompared

const longest = 40
const shortly = (name: string): string => markedText(name.length > longest ? `${name.slice(0, longest)}…` : name)

const kinds = { added: 'is new', removed: 'is gone', changed: 'differs' } as const

/** How the call differs from the one of the same tool and caller that was approved last. */
export function ChangesSinceLast({
  last,
  changes,
}: {
  readonly last: Approval['last']
  readonly changes: readonly ArgumentChange[] | undefined
}) {
  if (!last || !changes) return <p class="muted since-last">No call of this caller to this tool was approved before.</p>
  const before = (
    <>
      the last approved call, <Ago at={last.at} />
      {last.by !== undefined && (
        <>
          {' by '}
          <Text of={last.by} />
        </>
      )}
    </>
  )
  if (changes.length === 0) return <p class="since-last">The arguments are the same as those of {before}.</p>
  return (
    <details class="since-last" open>
      <summary>
        {countText(changes.length, 'argument')} {changes.length === 1 ? 'differs' : 'differ'} from {before}
      </summary>
      {changes.map(({ name, kind, before, after }) => (
        <div key={name} class="since-last-change">
          <p class="little">
            <Text of={name} mono /> {kinds[kind]}
          </p>
          {kind === 'changed' &&
            (isComparable(before, after) ? (
              <Difference before={before} after={after} labels={[`${shortly(name)} as approved`, `${shortly(name)} now`]} />
            ) : (
              <p class="muted">It is too long for a line-by-line comparison.</p>
            ))}
          {kind === 'removed' && <JsonText of={before} />}
        </div>
      ))}
    </details>
  )
}
