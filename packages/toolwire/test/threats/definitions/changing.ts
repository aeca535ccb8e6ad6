// A client with pinned definitions, and a server that can change its tools at any time.
import { type Drift, pin } from '../../../src/guard.js'
import type { JsonObject } from '../../../src/json.js'
import type { PinOptions } from '../../../src/policy/pin/index.js'
import { connectScripted, textResult, toolsPage } from '../../client/scripted.js'

export async function changing(revision: string, first: JsonObject[], options: PinOptions = {}) {
  const drifts: Drift[] = []
  const policy = pin({ onDrift: (drift) => void drifts.push(drift), ...options })
  let tools = first
  const script = { 'tools/list': () => toolsPage(tools), 'tools/call': textResult('done', { structuredContent: { id: '1' } }) }
  const { client, server, warnings } = await connectScripted(script, { revision, options: { policies: [policy], name: 'mail' } })
  return {
    client,
    drifts,
    warnings,
    policy,
    sent: () => server.received('tools/call').length,
    /** Changes the tools of the server, and waits until the client has noticed. */
    async say(next: JsonObject[]) {
      tools = next
      await client.listTools({ fresh: true })
    },
    /** The outcome of a call. */
    call: (name: string, args: JsonObject = {}) =>
      client.call(name, { to: 'ada', ...args }).then(
        () => 'done',
        (thrown) => thrown.reason ?? thrown.code,
      ),
  }
}
