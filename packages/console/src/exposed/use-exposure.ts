import { useEffect } from 'preact/hooks'
import { getJson } from '../api/api.js'
import type { Pins, Servers, ToolsAnswer } from '../api/types.js'
import { useEvents, useLoaded } from '../api/use-loaded.js'
import { type Exposure, exposureOf, isPending } from './exposure.js'

const soonMs = 1_000

/** Loads the exposed tools, and again after changes. */
export function useExposure() {
  const loaded = useLoaded<Exposure>(async (signal) => {
    const [{ tools }, { servers, withheld }, pins] = await Promise.all([
      getJson<ToolsAnswer>('/tools', {}, signal),
      getJson<Servers>('/servers', {}, signal),
      getJson<Pins>('/pins', {}, signal),
    ])
    return exposureOf({ tools, servers, withheld, pins })
  }, [])
  useEvents(['pin', 'upstream', 'config', 'policy'], loaded.reload)
  const { value, reload } = loaded
  useEffect(() => {
    if (!value || !isPending(value)) return
    const timer = setTimeout(reload, soonMs)
    return () => clearTimeout(timer)
  }, [value])
  return loaded
}
