// What somebody does about a tool; it says how that went.
import { ApiError, pathSegment, postJson } from '../api/api.js'
import type { AcceptedMany, Drift, Tool, ToolState } from '../api/types.js'
import { errorText } from '../parts/Problem.js'
import { toast } from '../parts/Toast.js'

const stateWords: { readonly [state in ToolState]: string } = {
  on: 'is on',
  off: 'is off: every call is refused',
  hidden: 'is hidden: it is not listed',
}

export async function setToolState({ name }: Tool, state: ToolState): Promise<void> {
  await tell(postJson(`/tools/${pathSegment(name)}/state`, { state }), `${name} ${stateWords[state]}.`)
}

export async function acceptDefinition(drift: Drift): Promise<void> {
  const { tool } = drift
  await tell(postJson('/pins/accept', definitionOf(drift)), `The definition of ${tool} is accepted.`)
}

/** What is decided about: the definition as it was shown, of the server that it was shown of. */
function definitionOf({ server = '', tool, hash, serverIdentity }: Drift) {
  return { server, tool, hash, ...(serverIdentity !== undefined && { serverIdentity }) }
}

/** Those and no others: what has changed since it was shown is left. */
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
    toast(errorText(thrown), 'danger')
  }
}

/** As many as the gateway takes at once. */
const mostAtOnce = 500

export async function refuseDefinition(drift: Drift): Promise<void> {
  const { tool } = drift
  await tell(postJson('/pins/refuse', definitionOf(drift)), `The definition of ${tool} is refused and stays hidden.`)
}

async function tell(act: Promise<unknown>, words: string): Promise<void> {
  try {
    await act
    toast(words)
  } catch (thrown) {
    const isStale = thrown instanceof ApiError && thrown.status === 409
    toast(isStale ? 'The definition has changed since then: review it again.' : errorText(thrown), 'danger')
  }
}
