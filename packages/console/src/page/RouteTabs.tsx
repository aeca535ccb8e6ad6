import type { ComponentChildren } from 'preact'
import { type Tab, Tabs } from '../parts/Tabs.js'
import { currentRoute, replaceRoute, type ViewName } from './route.js'

type Props = {
  readonly label: string
  readonly view: ViewName
  /** The first is the default. */
  readonly tabs: readonly (Tab & { readonly show: () => ComponentChildren })[]
}

/** The tabs of a view; the address names the current one. */
export function RouteTabs({ label, view, tabs }: Props) {
  const [first] = tabs
  const named = currentRoute.value.query.get('show')
  const current = tabs.find(({ id }) => id === named) ?? first
  const onChange = (id: string) => replaceRoute([view], { show: id === first?.id ? undefined : id })
  return (
    <Tabs label={label} tabs={tabs} current={current?.id ?? ''} onChange={onChange}>
      {current?.show()}
    </Tabs>
  )
}
