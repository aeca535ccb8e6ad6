import { useEffect } from 'preact/hooks'
import { connection, listenToGateway } from '../api/event-feed.js'
import { Loading } from '../parts/Empty.js'
import { Toasts } from '../parts/Toast.js'
import { Content } from './Content.js'
import { Logo } from './Logo.js'
import { Navigation } from './Navigation.js'
import { PageMenu } from './PageMenu.js'
import { href } from './route.js'
import { Health } from './status/Health.js'

/** The page for a signed-in user: navigation and the current view. */
export function Frame() {
  useEffect(() => {
    const ended = new AbortController()
    void listenToGateway(ended.signal)
    return () => {
      ended.abort()
      connection.value = 'opening'
    }
  }, [])
  return (
    <div class="frame">
      {/* No link: the part of the address after the # says which view is open. */}
      <button type="button" class="skip" onClick={() => document.getElementById('main')?.focus()}>
        Skip to the content
      </button>
      <header class="frame-side">
        <a class="brand" href={href([])}>
          <Logo />
          <span>Toolwire</span>
        </a>
        <Navigation />
        <div class="frame-foot">
          <Health />
          <PageMenu />
        </div>
      </header>
      <main id="main" tabIndex={-1}>
        {/* What is loaded before events are heard could be out of date, and nobody would say so. */}
        {connection.value === 'opening' ? <Loading what="the console" /> : <Content />}
      </main>
      <Toasts />
    </div>
  )
}
