// What somebody does about a tool; it says how that went.
import { ApiError, part, post } from '../api/api.js'
import type { AcceptedMany, Drift, Tool, ToolState } from '../api/types.js'
import { toast } from '../parts/Toast.js'
import { wordsOf } from '../parts/Trouble.js'

const stateWords: { readonly [state in ToolState]: string } = {
  on: 'is on',
  off: 'is switched off: every call of it is refused',
  hidden: 'is hidden: it is in no list',
}

export async function setState({ name }: Tool, state: ToolState): Promise<void> {
  await tell(post(`/tools/${part(name)}/state`, { state }), `${name} ${stateWords[state]}.`)
}

export async function accept(drift: Drift): Promise<void> {
  const { tool } = drift
  await tell(post('/pins/accept', definitionOf(drift)), `The definition of ${tool} is accepted.`)
}

/** What is decided about: the definition as it was shown, of the server that it was shown of. */
function definitionOf({ server = '', tool, hash, serverIdentity }: Drift) {
  return { server, tool, hash, ...(serverIdentity !== undefined && { serverIdentity }) }
}

/** Those and no others: what has changed since it was shown is left. */
export async function acceptMany(drifts: readonly Drift[]): Promise<void> {
  const definitions = drifts.map(definitionOf)
  try {
    let [accepted, stale] = [0, 0]
    for (let at = 0; at < definitions.length; at += mostAtOnce) {
      const body = { definitions: definitions.slice(at, at + mostAtOnce) }
      const answer = await post<AcceptedMany>('/pins/accept-many', body)
      accepted += answer.accepted.length
      stale += answer.stale.length
    }
    if (stale === 0) toast(`${accepted} definitions are accepted.`)
    else toast(`${accepted} are accepted. ${stale} changed since they were shown here: look at them again.`, 'danger')
  } catch (thrown) {
    toast(wordsOf(thrown), 'danger')
  }
}

/** As many as the gateway takes at once. */
const mostAtOnce = 500

export async function refuse(drift: Drift): Promise<void> {
  const { tool } = drift
  await tell(post('/pins/refuse', definitionOf(drift)), `The definition of ${tool} is refused. Nobody sees it.`)
}

async function tell(act: Promise<unknown>, words: string): Promise<void> {
  try {
    await act
    toast(words)
  } catch (thrown) {
    const isStale = thrown instanceof ApiError && thrown.status === 409
    toast(isStale ? 'The definition has changed since it was shown here: look at it again.' : wordsOf(thrown), 'danger')
  }
}
