// The pages of the audit log, newest first. Only pages that the user has scrolled to are loaded.
import { useEffect, useRef, useState } from 'preact/hooks'
import { getJson } from '../api/api.js'
import type { AuditCall, AuditPage } from '../api/types.js'
import { type AuditFilter, auditQueryOf } from './audit-filter.js'

const pageSize = 100
/** Number of pages in a row with too few matches before the search pauses and asks the user. */
const mostInVain = 20

export type AuditPages = ReturnType<typeof usePages>

type Kept = {
  readonly calls: readonly AuditCall[]
  readonly state: 'loading' | 'more' | 'paused' | 'all' | 'trouble'
  readonly trouble: unknown
  readonly before: number | undefined
}
const none: Kept = { calls: [], state: 'loading', trouble: undefined, before: undefined }

export function usePages(filter: AuditFilter) {
  const [kept, setKept] = useState<Kept>(none)
  const [round, setRound] = useState(0)
  const gone = useRef(new AbortController())
  const latest = useRef(kept)
  latest.current = kept

  function load(from: Kept): void {
    const { signal } = gone.current
    const show = (next: Kept) => !signal.aborted && setKept(next)
    show({ ...from, state: 'loading' })
    search(filter, { from, signal, show }).catch((trouble: unknown) => show({ ...latest.current, state: 'trouble', trouble }))
  }

  useEffect(() => {
    gone.current = new AbortController()
    load(none)
    return () => gone.current.abort()
  }, [JSON.stringify(filter), round])

  const { calls, state, trouble } = kept
  return {
    ...{ calls, state, trouble },
    /** Loads the next page, or resumes a paused search. */
    more: () => latest.current.state !== 'loading' && latest.current.state !== 'all' && load(latest.current),
    reload: () => setRound((before) => before + 1),
  }
}

type SearchOptions = { readonly from: Kept; readonly signal: AbortSignal; readonly show: (next: Kept) => void }

/** Loads until a page is full, the log ends, or the limit of pages is reached. */
async function search(filter: AuditFilter, { from, signal, show }: SearchOptions): Promise<void> {
  const wanted = from.calls.length + pageSize
  let { calls, before } = from
  for (let times = 0; times < mostInVain; times++) {
    const page = await getJson<AuditPage>('/audit', { ...auditQueryOf(filter), before, limit: pageSize }, signal)
    calls = [...calls, ...page.calls]
    before = page.before
    if (before === undefined) return show({ calls, before, state: 'all', trouble: undefined })
    if (calls.length >= wanted) return show({ calls, before, state: 'more', trouble: undefined })
    show({ calls, before, state: 'loading', trouble: undefined })
  }
  show({ calls, before, state: 'paused', trouble: undefined })
}
