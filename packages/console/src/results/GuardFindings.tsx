import { Icon } from '../parts/Icon.js'
import { Text } from '../parts/text/Text.js'
import { isObject, type Json, textsIn } from '../schemas/json.js'

const findingsKey = 'dev.toolwire/findings'

/** A finding of the guard: content that it removed, or only noticed. */
type GuardFinding = {
  readonly words: string
  readonly taken: boolean
  readonly count: number
  readonly kinds: readonly string[]
}

const found: { readonly [rule: string]: string } = {
  terminal: 'escape sequences of terminals',
  controls: 'control characters',
  invisible: 'invisible characters',
  bidi: 'characters that reorder text',
  size: 'content over the size limit',
  media: 'media with a wrong type',
  links: 'links to forbidden hosts',
  secrets: 'possible secrets',
  active: 'active markup',
  instructions: 'instructions to the model',
}

export function guardFindings(result: Json): readonly GuardFinding[] {
  const meta = isObject(result) ? result._meta : undefined
  const said = isObject(meta) ? meta[findingsKey] : undefined
  return Array.isArray(said) ? said.flatMap(findingOf) : []
}

function findingOf(said: Json): GuardFinding[] {
  if (!isObject(said)) return []
  const { rule, action, count, kinds } = said
  if (typeof rule !== 'string' || typeof count !== 'number') return []
  const words = Object.hasOwn(found, rule) ? (found[rule] ?? rule) : rule
  return [{ words, taken: action === 'strip', count, kinds: textsIn(kinds) }]
}

/** Content that the guard removed from a result or only noticed, according to the result's `_meta`. */
export function GuardFindings({ of }: { of: Json }) {
  const findings = guardFindings(of)
  if (findings.length === 0) return null
  return (
    <section class="notice warning with-icon" aria-label="Findings of the guard">
      <Icon name="warning" />
      <div>
        <p>
          <strong>The guard found something in this result.</strong> The guard finds only known patterns, so there may be more.
        </p>
        <ul>
          {findings.map((finding, at) => (
            <Mark key={at} of={finding} />
          ))}
        </ul>
      </div>
    </section>
  )
}

const Mark = ({ of: { words, taken, count, kinds } }: { of: GuardFinding }) => (
  <li>
    {taken ? 'Removed' : 'Kept'}: <Text of={words} /> ({count.toLocaleString()})
    <Text before=", " of={kinds.join(', ') || undefined} />
  </li>
)
