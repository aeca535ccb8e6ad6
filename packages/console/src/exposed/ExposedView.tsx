import '../styles/exposed.css'
import { useEffect, useRef } from 'preact/hooks'
import { currentRoute, goTo, href, replaceRoute } from '../page/route.js'
import { Empty, LoadState } from '../parts/LoadState.js'
import { View } from '../parts/View.js'
import { type Exposure, exposureFilters } from './exposure.js'
import { ToolDetail } from './ToolDetail.js'
import { listQuery, ToolList, type ToolListState } from './ToolList.js'
import { useExposure } from './use-exposure.js'

/** On narrow screens the list and the tool replace each other. Moves the focus to the opened tool, and back to its line in the list. */
function useFocus(chosen: string | undefined): void {
  const before = useRef(chosen)
  useEffect(() => {
    const last = before.current
    before.current = chosen
    if (last === chosen || !matchMedia('(max-width: 52rem)').matches) return
    const place = chosen === undefined ? lineOf(last) : document.getElementById('tool-name')
    place?.focus()
  }, [chosen])
}

const lineOf = (name: string | undefined): HTMLElement | undefined =>
  [...document.querySelectorAll<HTMLElement>('.tool-line')].find((line) => line.dataset.tool === name)

/** All tools offered to callers, and those withheld. */
export default function ExposedView({ path: [name] }: { path: string[] }) {
  const loaded = useExposure()
  return (
    <View title="Exposed" lead="The tools of all servers, and who may call them.">
      <LoadState of={loaded} what="the tools" />
      {loaded.value && <Tools exposure={loaded.value} name={name} onChange={loaded.reload} />}
    </View>
  )
}

type ToolsProps = { exposure: Exposure; name: string | undefined; onChange: () => void }

function Tools({ exposure, name, onChange }: ToolsProps) {
  useFocus(name)
  const chosen = exposure.tools.find(({ tool }) => tool.name === name)
  const looking = lookingIn(currentRoute.value.query)
  const look = (next: ToolListState) =>
    replaceRoute(['exposed', ...(name === undefined ? [] : [name])], { ...listQuery(next), tab: tabIn() })
  if (exposure.servers.length === 0 && exposure.tools.length === 0)
    return (
      <Empty icon="plug" title="No servers are configured">
        <a href={href(['setup'])}>Add one here</a>, or in the terminal:{' '}
        <code>toolwire add files npx @modelcontextprotocol/server-filesystem .</code>
      </Empty>
    )
  return (
    <div class={name === undefined ? 'exposed' : 'exposed has-chosen'}>
      <ToolList exposure={exposure} looking={looking} chosen={name} onLook={look} onChange={onChange} />
      <div class="exposed-detail card">
        {chosen ? (
          <ToolDetail
            key={name}
            one={chosen}
            tab={tabIn()}
            onTab={(tab) => replaceRoute(['exposed', chosen.tool.name], { ...listQuery(looking), tab })}
            onBack={() => goTo(['exposed'], listQuery(looking))}
            onChange={onChange}
          />
        ) : (
          <NoTool name={name} />
        )}
      </div>
    </div>
  )
}

const NoTool = ({ name }: { name: string | undefined }) =>
  name === undefined ? (
    <Empty icon="exposed" title="Choose a tool" text="Its definition, its callers and a form to try it appear here." />
  ) : (
    <Empty icon="search" title="This tool does not exist">
      Its server may have removed it. <a href="#/exposed">See all tools</a>
    </Empty>
  )

const tabIn = (): string => currentRoute.value.query.get('tab') ?? ''

function lookingIn(query: URLSearchParams): ToolListState {
  const filter = exposureFilters.find((one) => one === query.get('show')) ?? 'all'
  return { search: query.get('q') ?? '', filter, by: query.get('by') === 'set' ? 'set' : 'server' }
}
