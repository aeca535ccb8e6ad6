import type { ConsideredRule, Explanation } from '../../api/types.js'
import { Badge, decisionTones } from '../../parts/Badge.js'
import { Paragraph, Text } from '../../parts/text/Text.js'

const words = {
  allow: 'The call would be made',
  ask: 'The call would wait for approval',
  deny: 'The call would be refused',
} as const
const outcomes = { decided: 'decided', 'did not fit': 'did not match', 'might fit': 'could not be ruled out' } as const

/** The rule that decides the call, and why the rules before it did not. */
export const RuleExplanation = ({ of: { decision, why, hidden, considered, terms } }: { readonly of: Explanation }) => (
  <section class="card padded stack start" aria-labelledby="what-rules-say">
    <h2 id="what-rules-say">
      {words[decision]} <Badge tone={decisionTones[decision]}>{decision}</Badge>
    </h2>
    <p>
      <Text of={why} />.
    </p>
    {hidden && <p>The tool is hidden from this caller, so every call is refused.</p>}
    {considered.length > 0 && (
      <ol class="considered stack near">
        {considered.map((one, index) => (
          <OneRule key={index} one={one} />
        ))}
      </ol>
    )}
    {terms.map(({ name, limit, timeout }) => (
      <p key={name} class="muted">
        <Text of={name} />
        <Text before=" limits it: " of={limit && JSON.stringify(limit)} mono />
        {timeout !== undefined && <> stops it after {timeout.toLocaleString()} ms</>}
      </p>
    ))}
  </section>
)

const OneRule = ({ one: { rule, decision, outcome, why } }: { readonly one: ConsideredRule }) => (
  <li class={outcome === 'decided' ? 'decided' : undefined}>
    <p>
      <Text of={rule} /> <Badge tone={decisionTones[decision]}>{decision}</Badge> <span class="muted">{outcomes[outcome]}</span>
    </p>
    <Paragraph of={why} mono class="muted little" />
  </li>
)
