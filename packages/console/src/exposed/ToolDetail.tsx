import type { JsonObject, Tool } from '../api/types.js'
import { Button } from '../parts/Button.js'
import { Tabs } from '../parts/Tabs.js'
import { JsonText } from '../parts/text/Json.js'
import { Text } from '../parts/text/Text.js'
import { TryTool } from '../trying/TryTool.js'
import { AboutTool } from './AboutTool.js'
import { type ExposedTool, toolStandingOf } from './exposure.js'
import { HeldDefinition } from './HeldDefinition.js'
import { StateChoice } from './StateChoice.js'
import { StandingBadge } from './ToolGroup.js'

type Props = {
  readonly one: ExposedTool
  readonly tab: string
  readonly onTab: (tab: string) => void
  readonly onBack: () => void
  readonly onChange: () => void
}

const tabs = [
  { id: 'about', label: 'About' },
  { id: 'try', label: 'Try it' },
  { id: 'definition', label: 'Definition' },
]

/** One tool: what it is, whether it is on, and what waits about it. */
export function ToolDetail({ one, tab, onTab, onBack, onChange }: Props) {
  const { tool, drift } = one
  const current = tabs.find(({ id }) => id === tab)?.id ?? 'about'
  return (
    <article class="tool-detail" aria-labelledby="tool-name">
      <Button class="tool-back" variant="quiet" small onClick={onBack}>
        All tools
      </Button>
      <header class="tool-head">
        <div>
          <h2 id="tool-name" tabIndex={-1}>
            <Text of={tool.title ?? tool.name} /> <StandingBadge of={toolStandingOf(one)} />
          </h2>
          <p class="muted little">
            <Text of={tool.name} mono /> from <Text of={tool.server} />
          </p>
        </div>
        <StateChoice tool={tool} onChange={onChange} />
      </header>
      {drift && <HeldDefinition key={drift.hash} drift={drift} refused={one.refused} onChange={onChange} />}
      <Tabs label="The tool" tabs={tabs} current={current} onChange={(id) => onTab(id === 'about' ? '' : id)}>
        {current === 'about' && <AboutTool one={one} />}
        {current === 'try' && <TryTool tool={tool} />}
        {current === 'definition' && <Definition one={one} />}
      </Tabs>
    </article>
  )
}

/** Everything that the server says about the tool, as it says it. */
function Definition({ one: { tool, definition } }: { one: ExposedTool }) {
  return (
    <div class="tool-definition">
      <JsonText of={definition ?? asKnown(tool)} />
      <p class="little muted">
        Its fingerprint is <Text of={tool.hash} mono />
      </p>
    </div>
  )
}

/** Where no definition is kept, what is known of it. */
function asKnown({ name, title, description, inputSchema, outputSchema, annotations }: Tool): JsonObject {
  return {
    name,
    ...(title !== undefined && { title }),
    ...(description !== undefined && { description }),
    inputSchema,
    ...(outputSchema !== undefined && { outputSchema }),
    ...(annotations && { annotations }),
  }
}
