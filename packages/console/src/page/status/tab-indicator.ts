// The title and icon of the tab show pending or running calls, even while the page is in the background.
import { computed, effect } from '@preact/signals'
import { connection } from '../../api/event-feed.js'
import { runningCalls } from '../../calls/follow-calls.js'
import { currentRoute, viewTitle } from '../route.js'
import { pendingCount } from './gateway-status.js'

export type TabIndicator = { readonly kind: 'waiting' | 'running' | 'quiet'; readonly count: number }

/** The tab's indicator: pending calls come before running ones. Without the event stream, their numbers may be outdated. */
export const tabIndicator = computed<TabIndicator>(() => {
  if (connection.value !== 'open') return { kind: 'quiet', count: 0 }
  if (pendingCount.value > 0) return { kind: 'waiting', count: pendingCount.value }
  const count = runningCalls.value.length
  return count > 0 ? { kind: 'running', count } : { kind: 'quiet', count: 0 }
})

const atMostEveryMs = 500

/** Keeps title and icon up to date until the signal aborts. */
export function showTabIndicator(ended: AbortSignal): void {
  let timer: ReturnType<typeof setTimeout> | undefined
  const stop = effect(() => {
    void [tabIndicator.value, currentRoute.value]
    timer ??= setTimeout(() => {
      timer = undefined
      show(tabIndicator.value)
    }, atMostEveryMs)
  })
  ended.addEventListener('abort', () => {
    stop()
    clearTimeout(timer)
    show({ kind: 'quiet', count: 0 })
  })
}

const words = { waiting: 'to decide', running: 'running', quiet: '' } as const

function show({ kind, count }: TabIndicator): void {
  const view = currentRoute.value.view
  const here = view === 'unknown' ? 'Toolwire' : `${viewTitle(view)} · Toolwire`
  document.title = kind === 'quiet' ? here : `(${count} ${words[kind]}) ${here}`
  const link = document.querySelector<HTMLLinkElement>('link[rel="icon"]')
  if (link && link.dataset.kind !== kind) {
    link.dataset.kind = kind
    link.href = iconOf(kind)
  }
}

const dots = { waiting: '#f0a020', running: '#35c26b' } as const

/** The icon of public/icon.svg, with a dot. */
function iconOf(kind: TabIndicator['kind']): string {
  const dot = kind === 'quiet' ? '' : `<circle cx="24" cy="8" r="7" fill="${dots[kind]}" stroke="#fff" stroke-width="2"/>`
  const lines = '<path d="M6 16h7m6 0h7M16 9v14" stroke="#fff" stroke-width="3" stroke-linecap="round"/>'
  const middle = '<circle cx="16" cy="16" r="4" fill="#1f5f8b" stroke="#fff" stroke-width="3"/>'
  const svg = `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 32 32"><rect width="32" height="32" rx="7" fill="#1f5f8b"/>${lines}${middle}${dot}</svg>`
  return `data:image/svg+xml,${encodeURIComponent(svg)}`
}
