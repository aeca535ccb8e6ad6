import type { JsonObject, Tool, ToolState } from '../api/types.js'
import { Button } from '../parts/Button.js'
import { Tabs } from '../parts/Tabs.js'
import { JsonText } from '../parts/text/Json.js'
import { Text } from '../parts/text/Text.js'
import { WorkButton } from '../parts/WorkButton.js'
import { TryTool } from '../trying/TryTool.js'
import { AboutTool } from './AboutTool.js'
import { type ExposedTool, toolStandingOf } from './exposure.js'
import { HeldDefinition } from './HeldDefinition.js'
import { StandingBadge } from './ToolGroup.js'
import { setToolState } from './tool-actions.js'

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

export function ToolDetail({ one, tab, onTab, onBack, onChange }: Props) {
  const { tool, drift } = one
  const current = tabs.find(({ id }) => id === tab)?.id ?? 'about'
  return (
    <article class="tool-detail stack far" aria-labelledby="tool-name">
      <Button class="tool-back" variant="quiet" small onClick={onBack}>
        All tools
      </Button>
      <header class="bar tool-head">
        <div>
          <h2 id="tool-name" class="cluster" tabIndex={-1}>
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

/** The definition that the server sent. */
function Definition({ one: { tool, definition } }: { one: ExposedTool }) {
  return (
    <div class="tool-definition stack near">
      <JsonText of={definition ?? asKnown(tool)} />
      <p class="little muted">
        Its fingerprint is <Text of={tool.hash} mono />
      </p>
    </div>
  )
}

/** The known parts of a definition that was not kept. */
const asKnown = ({ name, title, description, inputSchema, outputSchema, annotations }: Tool): JsonObject =>
  // JSON.stringify leaves out undefined values.
  ({ name, title, description, inputSchema, outputSchema, annotations: annotations as JsonObject })

const states: readonly { readonly id: ToolState; readonly label: string; readonly about: string }[] = [
  { id: 'on', label: 'On', about: 'Listed; the rules decide about calls' },
  { id: 'hidden', label: 'Hidden', about: 'Not listed; callable only if a rule names it' },
  { id: 'off', label: 'Off', about: 'Not listed; every call is refused' },
]

/** Sets the state of a tool. A change applies at once and lasts. */
const StateChoice = ({ tool, onChange }: { tool: Tool; onChange: () => void }) => (
  <fieldset class="state-choice">
    <legend class="out-of-sight">Availability to callers</legend>
    {states.map(({ id, label, about }) => (
      <WorkButton
        key={id}
        small
        title={about}
        aria-pressed={tool.state === id}
        work={async () => tool.state !== id && setToolState(tool, id).then(onChange)}
      >
        {label}
      </WorkButton>
    ))}
  </fieldset>
)
