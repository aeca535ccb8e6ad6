import { useEffect, useErrorBoundary, useRef, useState } from 'preact/hooks'
import { Loading } from '../parts/Empty.js'
import { Trouble } from '../parts/Trouble.js'
import { View as Shell } from '../parts/View.js'
import { href, route, type View } from './route.js'
import { loaders, type ViewComponent } from './views.js'

/** Where the view stands that the address names. */
export function ViewPlace() {
  const { view } = route.value
  if (view !== 'unknown') return <OneView key={view} view={view} />
  return (
    <Shell title="There is no such view">
      <p>
        <a href={href([])}>Go to the overview</a>
      </p>
    </Shell>
  )
}

let hasShown = false

function OneView({ view }: { view: View }) {
  const [Shown, setShown] = useState<ViewComponent>()
  const [trouble, setTrouble] = useState<unknown>()
  const [broken, mend] = useErrorBoundary()
  const place = useRef<HTMLDivElement>(null)
  useEffect(() => {
    loaders[view]().then(({ default: found }) => setShown(() => found), setTrouble)
  }, [view])
  useEffect(() => {
    if (!Shown) return
    // Whoever went here by keyboard goes on from here; at first the page is read from its top.
    if (hasShown) place.current?.querySelector('h1')?.focus()
    hasShown = true
  }, [Shown])
  if (broken) return <Trouble title="This view has failed" error={broken} onRetry={mend} />
  if (trouble !== undefined)
    return (
      <Trouble
        title="This view could not be loaded; the page may be older than the gateway"
        error={trouble}
        onRetry={() => location.reload()}
      />
    )
  return <div ref={place}>{Shown ? <Shown path={[...route.value.path]} /> : <Loading what="the view" />}</div>
}
