import { useCallback, useEffect, useRef, useState } from 'preact/hooks'
import { getJson, type Query } from './api.js'
import { connection, onGatewayEvents } from './event-feed.js'
import { gatewayNow } from './gateway-clock.js'
import { oneAtATime } from './one-at-a-time.js'
import type { EventKind } from './types.js'

type State<T> = LoadOutcome & {
  /** The last value loaded; kept during a reload, and after one that has failed. */
  readonly value: T | undefined
  readonly isLoading: boolean
}

/** How the last load of a value went. */
export type LoadOutcome = {
  /** The error of the last load; undefined if it succeeded. */
  readonly trouble: unknown
  /** When the value was loaded: milliseconds since 1970 at the gateway. */
  readonly loadedAt: number | undefined
}
export const notLoaded: LoadOutcome = { trouble: undefined, loadedAt: undefined }
export const loadedNow = (): LoadOutcome => ({ trouble: undefined, loadedAt: gatewayNow() })

export type Loaded<T> = State<T> & { readonly reload: () => void }

/**
 * Loads when the component appears and whenever something in `by` changes. A failed load is retried when the connection is back. A reload
 * waits for a load in progress, which might otherwise never finish.
 */
export function useLoaded<T>(load: (signal: AbortSignal) => Promise<T>, by: readonly unknown[]): Loaded<T> {
  const [state, setState] = useState<State<T>>({ value: undefined, ...notLoaded, isLoading: true })
  const latest = useRef(load)
  latest.current = load
  const again = useRef<() => void>(() => undefined)
  useEffect(() => {
    const gone = new AbortController()
    again.current = oneAtATime(async () => {
      setState((before) => ({ ...before, isLoading: true }))
      const loaded = await outcomeOf(latest.current(gone.signal))
      if (!gone.signal.aborted) setState((before) => ({ ...before, ...loaded, isLoading: false }))
    })
    again.current()
    return () => gone.abort()
  }, [...by])
  const reload = useCallback(() => again.current(), [])
  const isOpen = connection.value === 'open'
  useEffect(() => {
    if (isOpen && state.trouble !== undefined) reload()
  }, [isOpen])
  return { ...state, reload }
}

const outcomeOf = <T>(loading: Promise<T>): Promise<Partial<State<T>>> =>
  loading.then(
    (value) => ({ value, ...loadedNow() }),
    (trouble: unknown) => ({ trouble }),
  )

/** Loads an API path, and again after events of these kinds. */
export function useGet<T>(path: string, query: Query = {}, kinds: readonly EventKind[] = []): Loaded<T> {
  const loaded = useLoaded((signal) => getJson<T>(path, query, signal), [path, JSON.stringify(query)])
  useEvents(kinds, loaded.reload)
  return loaded
}

const soonMs = 150
const restMs = 1_000

/** Calls back soon after events of these kinds, once for many of them. Also calls back when events were missed. */
export function useEvents(kinds: readonly EventKind[], then: () => void): void {
  const latest = useRef(then)
  latest.current = then
  useEffect(() => {
    let timer: ReturnType<typeof setTimeout> | undefined
    let last = 0
    function tell(): void {
      timer = undefined
      last = performance.now()
      latest.current()
    }
    const soon = () => {
      timer ??= setTimeout(tell, Math.max(soonMs, last + restMs - performance.now()))
    }
    const gone = new AbortController()
    onGatewayEvents([...kinds, 'missed'], soon, gone.signal)
    return () => {
      clearTimeout(timer)
      gone.abort()
    }
  }, [kinds.join()])
}
