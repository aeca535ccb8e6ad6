import { Fact, Facts } from '../parts/Facts.js'
import { FoldedText } from '../parts/text/FoldedText.js'
import { Text } from '../parts/text/Text.js'
import { Ago, Time } from '../parts/time/Time.js'
import { SchemaOutline } from '../schemas/SchemaOutline.js'
import { Callers } from './Callers.js'
import type { ExposedTool } from './exposure.js'
import { HintList } from './HintList.js'

const longDescription = 2_000

/** What a tool does, what it takes and gives, who may call it, and since when. */
export function AboutTool({ one: { tool } }: { one: ExposedTool }) {
  const { description, inputSchema, outputSchema, trusted } = tool
  return (
    <div class="about-tool">
      {description === undefined ? (
        <p class="muted">The server gives no description.</p>
      ) : description.length > longDescription ? (
        <FoldedText text={description} over={longDescription} />
      ) : (
        <p class="tool-description">
          <Text of={description} />
        </p>
      )}
      <section>
        <h3>Who may call it</h3>
        <Callers tool={tool} />
      </section>
      <section>
        <h3>Arguments</h3>
        <SchemaOutline of={inputSchema} nothing="It takes no arguments." />
      </section>
      <section>
        <h3>Result</h3>
        {outputSchema === undefined ? (
          <p class="muted">The server declares no result schema.</p>
        ) : (
          <SchemaOutline of={outputSchema} nothing="An object without fields of its own." />
        )}
      </section>
      <section>
        <h3>{trusted ? 'Hints' : 'Hints (unverified)'}</h3>
        <HintList tool={tool} />
      </section>
      <section>
        <h3>Since when</h3>
        <SinceWhen one={tool} />
      </section>
    </div>
  )
}

function SinceWhen({ one: { firstSeenAt, accepted } }: { one: ExposedTool['tool'] }) {
  return (
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
        {accepted === undefined ? (
          'not yet'
        ) : (
          <>
            <Time at={accepted.at} />{' '}
            {accepted.by ? (
              <>
                by <Text of={accepted.by} />
              </>
            ) : (
              'at first sight, with its server'
            )}
          </>
        )}
      </Fact>
    </Facts>
  )
}
