// Actions on a tool; each reports its result in a toast.
import { ApiError, pathSegment, postJson } from '../api/api.js'
import type { AcceptedMany, Drift, Tool, ToolState } from '../api/types.js'
import { toast } from '../parts/Toast.js'
import { toastError } from '../parts/WorkButton.js'

const stateWords: { readonly [state in ToolState]: string } = {
  on: 'is on',
  off: 'is off: every call is refused',
  hidden: 'is hidden: it is not listed',
}

export const setToolState = ({ name }: Tool, state: ToolState): Promise<void> =>
  tell(postJson(`/tools/${pathSegment(name)}/state`, { state }), `${name} ${stateWords[state]}.`)

export const acceptDefinition = (drift: Drift): Promise<void> =>
  tell(postJson('/pins/accept', definitionOf(drift)), `The definition of ${drift.tool} is accepted.`)

export const refuseDefinition = (drift: Drift): Promise<void> =>
  tell(postJson('/pins/refuse', definitionOf(drift)), `The definition of ${drift.tool} is refused and stays hidden.`)

/** Identifies the definition as shown, and the server that it was shown for. */
function definitionOf({ server = '', tool, hash, serverIdentity }: Drift) {
  return { server, tool, hash, ...(serverIdentity !== undefined && { serverIdentity }) }
}

/** Accepts exactly these definitions; those that have changed since they were shown are skipped. */
export async function acceptDefinitions(drifts: readonly Drift[]): Promise<void> {
  const definitions = drifts.map(definitionOf)
  try {
    let [accepted, stale] = [0, 0]
    for (let at = 0; at < definitions.length; at += mostAtOnce) {
      const body = { definitions: definitions.slice(at, at + mostAtOnce) }
      const answer = await postJson<AcceptedMany>('/pins/accept-many', body)
      accepted += answer.accepted.length
      stale += answer.stale.length
    }
    if (stale === 0) toast(`${accepted} definitions are accepted.`)
    else toast(`${accepted} are accepted. ${stale} have changed since then: review them again.`, 'danger')
  } catch (thrown) {
    toastError(thrown)
  }
}

/** The gateway's limit for one request. */
const mostAtOnce = 500

async function tell(act: Promise<unknown>, words: string): Promise<void> {
  try {
    await act
    toast(words)
  } catch (thrown) {
    if (!(thrown instanceof ApiError && thrown.status === 409)) return toastError(thrown)
    toast('The definition has changed since then: review it again.', 'danger')
  }
}
