import type { Tool } from '../api/types.js'
import { Badge } from '../parts/Badge.js'
import { type Claim, claimTexts } from '../parts/effect-claims.js'
import { Fact, Facts } from '../parts/Facts.js'
import { FoldedText } from '../parts/text/FoldedText.js'
import { Paragraph, Text } from '../parts/text/Text.js'
import { Ago, Time } from '../parts/time/Time.js'
import { SchemaOutline } from '../schemas/SchemaOutline.js'
import { Callers } from './Callers.js'
import type { ExposedTool } from './exposure.js'

const longDescription = 2_000

export function AboutTool({ one: { tool } }: { one: ExposedTool }) {
  const { description, inputSchema, outputSchema, trusted } = tool
  return (
    <div class="about-tool stack">
      {description === undefined ? (
        <p class="muted">The server gives no description.</p>
      ) : description.length > longDescription ? (
        <FoldedText text={description} over={longDescription} />
      ) : (
        <Paragraph of={description} class="tool-description" />
      )}
      <section class="stack near">
        <h3>Callers</h3>
        <Callers tool={tool} />
      </section>
      <section class="stack near">
        <h3>Arguments</h3>
        <SchemaOutline of={inputSchema} nothing="The tool takes no arguments." />
      </section>
      <section class="stack near">
        <h3>Result</h3>
        {outputSchema === undefined ? (
          <p class="muted">The server declares no result schema.</p>
        ) : (
          <SchemaOutline of={outputSchema} nothing="An object without declared fields." />
        )}
      </section>
      <section class="stack near">
        <h3>{trusted ? 'Hints' : 'Hints (unverified)'}</h3>
        <HintList tool={tool} />
      </section>
      <section class="stack near">
        <h3>History</h3>
        <SinceWhen one={tool} />
      </section>
    </div>
  )
}

const SinceWhen = ({ one: { firstSeenAt, accepted } }: { one: Tool }) => (
  <Facts>
    <Fact name="First seen">
      {firstSeenAt === undefined ? (
        'not known'
      ) : (
        <>
          <Time at={firstSeenAt} /> (<Ago at={firstSeenAt} />)
        </>
      )}
    </Fact>
    <Fact name="Accepted">
      {accepted ? <Time at={accepted.at} /> : 'not yet'}
      {accepted && (accepted.by ? <Text before=" by " of={accepted.by} /> : ' at first sight, with its server')}
    </Fact>
  </Facts>
)

/** The claims about a tool's effects. They come from its server, and count only if the server is trusted. */
const HintList = ({ tool: { claims, trusted } }: { tool: Tool }) => (
  <>
    <ul class="stack close">
      {claimTexts(claims).map((claim) => (
        <li key={claim.words}>
          {/* An unverified claim must not look reassuring. */}
          <Badge tone={trusted || claim.tone !== 'ok' ? claim.tone : 'neutral'}>{claim.words}</Badge>{' '}
          <span class="muted little">{sourceOf(claim, trusted)}</span>
        </li>
      ))}
    </ul>
    <p class="muted little">
      {trusted
        ? 'The server is trusted, so rules rely on this hint.'
        : 'The server is not trusted, so no rule relies on this hint.'}
    </p>
  </>
)

function sourceOf({ said }: Claim, trusted: boolean): string {
  if (!said) return 'not given; assumed'
  return trusted ? 'from the server' : 'from the server, unverified'
}
