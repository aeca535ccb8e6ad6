import type { Approval, Json } from '../../api/types.js'
import { countText } from '../../parts/count-text.js'
import { Difference } from '../../parts/text/Difference.js'
import { JsonText } from '../../parts/text/Json.js'
import { markedText, shortened, Text } from '../../parts/text/Text.js'
import { Ago } from '../../parts/time/Time.js'
import type { ArgumentChange } from './argument-changes.js'

const mostCompared = 200_000
const isComparable = (...values: Json[]): boolean => JSON.stringify(values).length <= mostCompared

const longest = 40
const shortly = (name: string): string => markedText(shortened(name, longest))

const kinds = { added: 'is new', removed: 'was removed', changed: 'differs' } as const

type Props = { readonly last: Approval['last']; readonly changes: readonly ArgumentChange[] | undefined }

/** The differences from the last approved call of this tool by this caller. */
export function ChangesSinceLast({ last, changes }: Props) {
  if (!last) return <p class="muted">No call of this caller to this tool was approved before.</p>
  const before = (
    <>
      the last approved call, <Ago at={last.at} />
      <Text before=" by " of={last.by} />
    </>
  )
  if (!changes) return <p class="muted">The arguments are not compared, because those of {before}, are too long.</p>
  if (changes.length === 0) return <p>The arguments are the same as those of {before}.</p>
  return (
    <details class="since-last stack near" open>
      <summary>
        {countText(changes.length, 'argument')} {changes.length === 1 ? 'differs' : 'differ'} from {before}
      </summary>
      {changes.map((change) => (
        <div key={change.name} class="since-last-change stack near">
          <p class="little">
            <Text of={change.name} mono /> {kinds[change.kind]}
          </p>
          <Change of={change} />
        </div>
      ))}
    </details>
  )
}

function Change({ of: { name, kind, before, after } }: { readonly of: ArgumentChange }) {
  if (kind === 'removed') return <JsonText of={before} />
  if (kind === 'added') return null
  if (!isComparable(before, after)) return <p class="muted">The value is too long for a line-by-line comparison.</p>
  return <Difference before={before} after={after} labels={[`${shortly(name)} as approved`, `${shortly(name)} now`]} />
}
