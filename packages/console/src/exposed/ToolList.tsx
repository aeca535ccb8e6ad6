import type { TargetedKeyboardEvent } from 'preact'
import { href } from '../page/route.js'
import { Button } from '../parts/Button.js'
import { Choice } from '../parts/Choice.js'
import { Empty } from '../parts/LoadState.js'
import { SearchInput } from '../parts/table/ListHeader.js'
import { Text } from '../parts/text/Text.js'
import {
  type Exposure,
  type ExposureFilter,
  exposureFilters,
  type GroupedBy,
  groupTools,
  matchesSearch,
  passesExposureFilter,
} from './exposure.js'
import { HeldServers } from './HeldServers.js'
import { ToolGroup } from './ToolGroup.js'

export type ToolListState = { readonly search: string; readonly filter: ExposureFilter; readonly by: GroupedBy }

/** The state as a query of the address, without defaults. */
export const listQuery = ({ search, filter, by }: ToolListState) => ({
  q: search,
  show: filter === 'all' ? undefined : filter,
  by: by === 'server' ? undefined : by,
})

type Props = {
  readonly exposure: Exposure
  readonly looking: ToolListState
  readonly chosen: string | undefined
  readonly onLook: (looking: ToolListState) => void
  readonly onChange: () => void
}

/** All tools in groups, with a search in their names, texts and arguments. */
export function ToolList({ exposure, looking, chosen, onLook, onChange }: Props) {
  const isSearched = looking.search.trim() !== ''
  const found = exposure.tools.filter((one) => passesExposureFilter(looking.filter, one) && matchesSearch(one, looking.search))
  const isAll = looking.filter === 'all' && !isSearched
  const groups = groupTools({ ...exposure, tools: found }, looking.by).filter(({ tools }) => isAll || tools.length > 0)
  const linkTo = (name: string) => href(['exposed', name], listQuery(looking))
  return (
    <section class="tool-list card" aria-label="Tools">
      <Looks exposure={exposure} looking={looking} onLook={onLook} />
      <p class="out-of-sight" role="status">
        {found.length} of {exposure.tools.length} tools
      </p>
      {/* biome-ignore lint/a11y/noStaticElementInteractions: the keys only move among the links in it */}
      <div class="tool-groups stack" onKeyDown={moveAmongTools}>
        {!isSearched && (isAll || looking.filter === 'waiting') && <HeldServers of={exposure.waiting} onChange={onChange} />}
        {groups.map((group) => (
          <ToolGroup key={group.name} of={group} chosen={chosen} linkTo={linkTo} />
        ))}
        {found.length === 0 && !isAll && (
          <Empty icon="search" title="No tools match">
            <Button small onClick={() => onLook({ ...looking, search: '', filter: 'all' })}>
              Show all tools
            </Button>
          </Empty>
        )}
        {isAll && <WithheldList of={exposure.withheld} />}
      </div>
    </section>
  )
}

/** Moves the focus from tool to tool with the arrow keys. */
function moveAmongTools(event: TargetedKeyboardEvent<HTMLDivElement>): void {
  const step = event.key === 'ArrowDown' ? 1 : event.key === 'ArrowUp' ? -1 : 0
  const links = [...event.currentTarget.querySelectorAll<HTMLElement>('.tool-line')]
  const at = links.indexOf(event.target as HTMLElement) // keys come from elements
  const next = links[at + step]
  if (step === 0 || at < 0 || !next) return
  event.preventDefault()
  next.focus()
}

const filterWords: { readonly [filter in ExposureFilter]: string } = {
  all: 'All',
  waiting: 'To review',
  off: 'Off',
  hidden: 'Hidden',
}

const groupings = [
  ['server', 'server'],
  ['set', 'toolset'],
] as const

const Looks = ({ exposure, looking, onLook }: Pick<Props, 'exposure' | 'looking' | 'onLook'>) => (
  <div class="tool-looks stack near">
    <SearchInput label="Search the tools" text={looking.search} onText={(search) => onLook({ ...looking, search })} />
    <fieldset class="tool-filters cluster" aria-label="Show">
      {exposureFilters.map((filter) => {
        const count = exposure.tools.filter((one) => passesExposureFilter(filter, one)).length
        const isPressed = looking.filter === filter
        return (
          <Button
            small
            key={filter}
            aria-pressed={isPressed}
            disabled={count === 0 && filter !== 'all' && !isPressed}
            onClick={() => onLook({ ...looking, filter })}
          >
            {filterWords[filter]} <span class="count">{count}</span>
          </Button>
        )
      })}
    </fieldset>
    <p class="little muted cluster tool-by">
      By <Choice aria-label="By" value={looking.by} choices={groupings} onChange={(by) => onLook({ ...looking, by })} />
    </p>
  </div>
)

/** The parts of servers that no caller is offered, with the reasons. */
function WithheldList({ of }: { of: Exposure['withheld'] }) {
  if (of.length === 0) return null
  return (
    <details class="withheld">
      <summary class="little">Not offered: {of.length}</summary>
      <ul class="stack close">
        {of.map(({ upstream, kind, name, why }, at) => (
          <li key={at} class="little">
            <Text of={name} mono />{' '}
            <span class="muted">
              (<Text of={kind} /> of <Text of={upstream} />) <Text of={why} />
            </span>
          </li>
        ))}
      </ul>
    </details>
  )
}
