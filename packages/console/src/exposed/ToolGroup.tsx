import { Badge, decisionTones, type Tone } from '../parts/Badge.js'
import { EffectBadge } from '../parts/EffectBadge.js'
import { markedText, Paragraph, Text } from '../parts/text/Text.js'
import { useFirstItems } from '../parts/use-first-items.js'
import { type ExposedTool, type ExposureGroup, type ToolStanding, toolStandingOf } from './exposure.js'

type Props = { of: ExposureGroup; chosen: string | undefined; linkTo: (name: string) => string }

const toolsAtFirst = 100

export function ToolGroup({ of: { name, server, tools }, chosen, linkTo }: Props) {
  const { shown, moreButton } = useFirstItems(tools, toolsAtFirst)
  return (
    <section class="tool-group stack close">
      <h2 class="cluster">
        <Text of={name === '' ? 'In no toolset' : name} /> <span class="count">{tools.length}</span>
        {server && !server.trusted && <Badge title="Its hints are unverified, so no rule relies on them">not trusted</Badge>}
        {server && server.state !== 'ready' && server.state !== 'idle' && (
          <Badge tone="warning" title={server.why && markedText(server.why)}>
            {server.state}
          </Badge>
        )}
      </h2>
      <Paragraph of={server?.why} class="little muted" />
      <ul class="tool-lines">
        {shown.map((one) => (
          <ToolLine
            key={one.tool.name}
            one={one}
            isChosen={one.tool.name === chosen}
            isWhole={chosen === undefined}
            link={linkTo(one.tool.name)}
          />
        ))}
      </ul>
      {tools.length === 0 && <p class="little muted">The server offers no tools now.</p>}
      {moreButton}
    </section>
  )
}

type LineProps = {
  readonly one: ExposedTool
  readonly isChosen: boolean
  /** The line shows more columns while no tool is open beside the list. */
  readonly isWhole: boolean
  readonly link: string
}

const ToolLine = ({ one, isChosen, isWhole, link }: LineProps) => (
  <li>
    <a
      href={link}
      data-tool={one.tool.name}
      class={`tool-line ${toolStandingOf(one)}`}
      aria-current={isChosen ? 'page' : undefined}
    >
      <span class="tool-line-name">
        <Text of={one.tool.title ?? one.tool.name} line />
        {one.tool.title && <Text of={one.tool.name} line mono class="tool-line-id muted" />}
      </span>
      {isWhole && <Columns tool={one.tool} />}
      <StandingBadge of={toolStandingOf(one)} />
    </a>
  </li>
)

const Columns = ({ tool }: { readonly tool: ExposedTool['tool'] }) => (
  <>
    <span class="tool-column muted little">{tool.description && <Text of={tool.description} line />}</span>
    <span class="tool-column">
      <EffectBadge claims={tool.claims} trusted={tool.trusted} />
    </span>
    <span class="tool-column">
      <Badge tone={decisionTones[tool.decision.anyone]}>{outlookWords[tool.decision.anyone]}</Badge>
    </span>
  </>
)

const outlookWords = { allow: 'allowed', ask: 'needs approval', deny: 'refused', depends: 'depends' } as const

const standings: { readonly [standing in ToolStanding]: readonly [words: string, tone: Tone] | undefined } = {
  on: undefined,
  off: ['off', 'neutral'],
  hidden: ['hidden', 'neutral'],
  new: ['new', 'warning'],
  changed: ['changed', 'warning'],
  refused: ['refused', 'neutral'],
}

/** The state of a tool that is not simply on. */
export function StandingBadge({ of }: { of: ToolStanding }) {
  const [words, tone] = standings[of] ?? []
  return words ? <Badge tone={tone ?? 'neutral'}>{words}</Badge> : null
}
