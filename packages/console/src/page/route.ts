// The route of the page: the hash of the address, which browsers never send to a server.
import { signal } from '@preact/signals'

export const viewNames = ['overview', 'exposed', 'live', 'approvals', 'audit', 'policy', 'setup'] as const
export type ViewName = (typeof viewNames)[number]

/** The name of a view in the navigation and in the tab. */
export const viewTitle = (view: ViewName): string => `${view.charAt(0).toUpperCase()}${view.slice(1)}`

/** The view, and the rest of the address. */
export type Route = { readonly view: ViewName | 'unknown'; readonly path: readonly string[]; readonly query: URLSearchParams }

/** The parts of a route: `['exposed', 'files__read']`; the overview is `[]`. */
export type RoutePlace = readonly (string | number)[]
export type RouteQuery = { readonly [name: string]: string | number | undefined }

export function href(place: RoutePlace, query: RouteQuery = {}): string {
  const said = Object.entries(query).filter(([, value]) => value !== undefined && value !== '')
  const text = new URLSearchParams(said.map(([name, value]) => [name, String(value)])).toString()
  return `#/${place.map((part) => encodeURIComponent(part)).join('/')}${text && `?${text}`}`
}

export function goTo(place: RoutePlace, query: RouteQuery = {}): void {
  location.hash = href(place, query)
}

/** Replaces the route without an entry in the history. */
export function replaceRoute(place: RoutePlace, query: RouteQuery = {}): void {
  history.replaceState(null, '', href(place, query))
  currentRoute.value = routeOf(location.hash)
}

export function routeOf(hash: string): Route {
  const [way = '', search = ''] = hash.replace(/^#\/?/, '').split('?', 2)
  const [first = '', ...path] = way.split('/').map(decoded)
  const view = first === '' ? 'overview' : viewNames.find((name) => name === first)
  return { view: view ?? 'unknown', path: path.filter((part) => part !== ''), query: new URLSearchParams(search) }
}

function decoded(part: string): string {
  try {
    return decodeURIComponent(part)
  } catch {
    return part
  }
}

export const currentRoute = signal<Route>(routeOf(globalThis.location?.hash ?? ''))

export function followAddress(): void {
  const read = () => {
    currentRoute.value = routeOf(location.hash)
  }
  addEventListener('hashchange', read)
  read()
}
