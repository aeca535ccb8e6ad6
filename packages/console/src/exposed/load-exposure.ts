import { useEffect } from 'preact/hooks'
import { get } from '../api/api.js'
import { useEvents, useLoaded } from '../api/loaded.js'
import type { Pins, Servers, Tools } from '../api/types.js'
import { type Exposure, exposureOf, isUnsettled } from './exposure.js'

const soonMs = 1_000

/** What is exposed now; it is loaded again when something about it has changed. */
export function useExposure() {
  const loaded = useLoaded<Exposure>(async (signal) => {
    const [{ tools }, { servers, withheld }, pins] = await Promise.all([
      get<Tools>('/tools', {}, signal),
      get<Servers>('/servers', {}, signal),
      get<Pins>('/pins', {}, signal),
    ])
    return exposureOf({ tools, servers, withheld, pins })
  }, [])
  useEvents(['pin', 'upstream', 'config', 'policy'], loaded.reload)
  const { value, reload } = loaded
  useEffect(() => {
    if (!value || !isUnsettled(value)) return
    const timer = setTimeout(reload, soonMs)
    return () => clearTimeout(timer)
  }, [value])
  return loaded
}
