import { runningCalls } from '../calls/follow-calls.js'
import { Icon } from '../parts/Icon.js'
import { currentRoute, href, type ViewName, viewNames } from './route.js'
import { heldBackCount, pendingCount } from './status/gateway-status.js'

const labels = {
  overview: 'Overview',
  exposed: 'Exposed',
  live: 'Live',
  approvals: 'Approvals',
  audit: 'Audit',
  policy: 'Policy',
  setup: 'Setup',
} as const satisfies Record<ViewName, string>

type Count = { readonly count: number; readonly words: string; readonly isUrgent?: boolean }

/** The ways to the views, with how much there is to look at. */
export const Navigation = () => (
  <nav aria-label="Views">
    <ul>
      {viewNames.map((view) => (
        <li key={view}>
          <a href={href(view === 'overview' ? [] : [view])} aria-current={currentRoute.value.view === view ? 'page' : undefined}>
            <Icon name={view} />
            <span>{labels[view]}</span>
            <CountOf view={view} />
          </a>
        </li>
      ))}
    </ul>
  </nav>
)

function CountOf({ view }: { view: ViewName }) {
  const { count, words, isUrgent } = countOf(view)
  if (count === 0) return null
  return (
    <span class={isUrgent ? 'count urgent' : 'count'}>
      {count > 999 ? '999+' : count}
      <span class="out-of-sight"> {words}</span>
    </span>
  )
}

function countOf(view: ViewName): Count {
  if (view === 'live') return { count: runningCalls.value.length, words: 'under way' }
  if (view === 'approvals') return { count: pendingCount.value, words: 'to decide', isUrgent: true }
  if (view === 'exposed') return { count: heldBackCount.value, words: 'withheld', isUrgent: true }
  return { count: 0, words: '' }
}
