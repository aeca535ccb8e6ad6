import type { ComponentType } from 'preact'
import { useEffect, useErrorBoundary, useRef, useState } from 'preact/hooks'
import { LoadState } from '../parts/LoadState.js'
import { Problem } from '../parts/Problem.js'
import { View as Shell } from '../parts/View.js'
import { currentRoute, href, type ViewName } from './route.js'

type ViewComponent = ComponentType<{ path: string[] }>

/** The views, loaded on the first visit. */
const viewLoaders = {
  overview: () => import('../overview/Overview.js'),
  exposed: () => import('../exposed/ExposedView.js'),
  live: () => import('../live/Live.js'),
  approvals: () => import('../approvals/Approvals.js'),
  audit: () => import('../audit/Audit.js'),
  policy: () => import('../policy/Policy.js'),
  setup: () => import('../setup/Setup.js'),
} as const satisfies Record<ViewName, () => Promise<{ readonly default: ViewComponent }>>

/** The view named in the address. */
export function CurrentView() {
  const { view } = currentRoute.value
  if (view !== 'unknown') return <OneView key={view} view={view} />
  return (
    <Shell title="This view does not exist">
      <p>
        <a href={href([])}>Go to the overview</a>
      </p>
    </Shell>
  )
}

let hasShown = false

function OneView({ view }: { view: ViewName }) {
  const [Shown, setShown] = useState<ViewComponent>()
  const [trouble, setTrouble] = useState<unknown>()
  const [broken, mend] = useErrorBoundary()
  const place = useRef<HTMLDivElement>(null)
  useEffect(() => {
    viewLoaders[view]().then(({ default: found }) => setShown(() => found), setTrouble)
  }, [view])
  useEffect(() => {
    if (!Shown) return
    // After keyboard navigation, the focus moves to the new heading; the first view is read from the top of the page.
    if (hasShown) place.current?.querySelector('h1')?.focus()
    hasShown = true
  }, [Shown])
  if (broken) return <Problem title="This view has failed" error={broken} onRetry={mend} />
  const title = 'This view could not be loaded. The page may be older than the gateway'
  const loaded = { value: Shown, trouble, reload: () => location.reload() }
  return (
    <div ref={place}>
      {Shown && <Shown path={[...currentRoute.value.path]} />}
      <LoadState of={loaded} what="the view" title={title} />
    </div>
  )
}
