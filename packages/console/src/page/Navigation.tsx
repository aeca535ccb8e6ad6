import { runningCalls } from '../calls/follow-calls.js'
import { Icon } from '../parts/Icon.js'
import { currentRoute, href, type ViewName, viewNames, viewTitle } from './route.js'
import { pendingCount, withheldCount } from './status/gateway-status.js'

export const Navigation = () => (
  <nav aria-label="Views">
    <ul>
      {viewNames.map((view) => (
        <li key={view}>
          <a href={href(view === 'overview' ? [] : [view])} aria-current={currentRoute.value.view === view ? 'page' : undefined}>
            <Icon name={view} />
            <span>{viewTitle(view)}</span>
            <CountOf view={view} />
          </a>
        </li>
      ))}
    </ul>
  </nav>
)

function CountOf({ view }: { view: ViewName }) {
  const { count = 0, words, isUrgent } = counts[view]?.() ?? {}
  if (count === 0) return null
  return (
    <span class={isUrgent ? 'count urgent' : 'count'}>
      {count > 999 ? '999+' : count}
      <span class="out-of-sight"> {words}</span>
    </span>
  )
}

const counts: { readonly [view in ViewName]?: () => { count: number; words: string; isUrgent?: boolean } } = {
  live: () => ({ count: runningCalls.value.length, words: 'under way' }),
  approvals: () => ({ count: pendingCount.value, words: 'to decide', isUrgent: true }),
  exposed: () => ({ count: withheldCount.value, words: 'withheld', isUrgent: true }),
}
