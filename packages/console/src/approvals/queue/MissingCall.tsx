import { getJson } from '../../api/api.js'
import { useLoaded } from '../../api/use-loaded.js'
import { href } from '../../page/route.js'
import { Empty, Loading, LoadState } from '../../parts/LoadState.js'
import { CallEnding } from '../call/CallEnding.js'
import { endingOf } from '../endings.js'
import type { PastCall, PastPage } from '../history/past-calls.js'
import { loadApproval } from './follow-queue.js'

/** A call named in the address but not loaded yet: loads it, or shows its outcome. */
export function MissingCall({ id }: { readonly id: string }) {
  const loaded = useLoaded((signal) => found(id, signal), [id])
  const { value, trouble, isLoading } = loaded
  if (trouble !== undefined) return <LoadState of={{ ...loaded, value: undefined }} what="the call" />
  if (isLoading || value === 'waits') return <Loading what="the call" />
  if (value) return <CallEnding id={id} ending={endingOf(value)} />
  return (
    <Empty icon="approvals" title="This call is no longer known">
      <p>
        The call was decided long ago. <a href={href(['approvals'])}>Show pending calls</a>.
      </p>
    </Empty>
  )
}

const mostPast = 1_000

async function found(id: string, signal: AbortSignal): Promise<'waits' | PastCall | undefined> {
  if (await loadApproval(id)) return 'waits'
  const { past } = await getJson<PastPage>('/approvals', { limit: 1, past: mostPast }, signal)
  return past?.find((one) => one.id === id)
}
