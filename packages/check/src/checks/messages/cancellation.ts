import { setTimeout as sleep } from 'node:timers/promises'
import type { Attempt } from '../../attempt.js'
import { checksOf } from '../../check.js'
import { every } from '../../revisions.js'
import { type RequestOptions, type RequestOutcome, resultOf, type Session } from '../../session/session.js'
import { enforcedIf, missingBecause, notTried, type Verdict } from '../../verdict.js'
import { describeReceived, goesOn } from '../refusals.js'
import { strayResponses } from './stray-responses.js'

const cancelled = 'notifications/cancelled'
const startMs = 300
/** A call that runs to its end may take this many times the timeout. */
const timeoutsPerSlowCall = 3

export const cancellationChecks = checksOf({ level: 'SHOULD', revisions: every, page: 'basic/utilities/cancellation' })({
  'cancel-unknown': {
    sentence: 'Cancelling an unknown request changes nothing.',
    how: 'Cancels a request that was never sent, and one without an id; then lists the tools',
    run: async (attempt) => {
      const { strays, after } = await strayResponses(await attempt.session(), [
        [cancelled, { requestId: 'never-was' }],
        [cancelled, {}],
      ])
      if (!resultOf(after.response)) return missingBecause(`The next request: ${describeReceived(after)}`)
      return enforcedIf(strays.length === 0, 'No response came, and the server goes on', 'A notification was answered')
    },
  },
  'cancel-late': {
    sentence: 'Cancelling a finished request changes nothing.',
    how: 'Lists the tools, cancels that request, and lists the tools again',
    run: async (attempt) => {
      const session = await attempt.session()
      const done = await session.ask(session.probe)
      await session.notify(cancelled, { requestId: done.response?.id ?? 0 })
      return goesOn(session)
    },
  },
  'cancel-honoured': {
    needs: 'tools',
    sentence: 'A cancelled call gets no response.',
    how: 'Calls a slow tool to its end, then calls it again and cancels the call',
    run: cancelledCall,
  },
})

async function cancelledCall(attempt: Attempt): Promise<Verdict> {
  const { slow } = attempt.options
  if (!slow) return notTried('No slow tool is named with --slow')
  const session = await attempt.newSession()
  if (session.wire.kind === 'http' && !session.revision.handshake)
    return notTried('Cancelling closes the request in this revision, so a late response cannot be seen.')
  const tool = (await attempt.tools()).find(({ name }) => name === slow.name)
  if (!tool) return notTried(`The server has no tool ${slow.name}`)
  const call = (asking: RequestOptions) =>
    session.ask('tools/call', { name: slow.name, arguments: slow.args }, { ...asking, schema: tool.inputSchema })
  const started = performance.now()
  const whole = await call({ ms: session.ms * timeoutsPerSlowCall })
  const took = performance.now() - started
  if (!whole.response)
    return notTried(`${slow.name} did not end within ${session.ms * timeoutsPerSlowCall} ms. Set a longer --timeout`)
  if (took < startMs * 2) return notTried(`${slow.name} ended after ${Math.round(took)} ms, too soon to be cancelled`)
  return cancellationIn(session, { name: slow.name, call: (id) => call({ id, ms: took + session.ms }) })
}

type SlowCall = { readonly name: string; readonly call: (id: number) => Promise<RequestOutcome> }

async function cancellationIn(session: Session, { name, call }: SlowCall): Promise<Verdict> {
  const id = session.nextId()
  const asked = call(id)
  const early = await Promise.race([asked, sleep(startMs)])
  if (early) return notTried(`${name} ended the second time before it was cancelled`)
  await session.notify(cancelled, { requestId: id, reason: 'A check' })
  const { response } = await asked
  const after = await goesOn(session, 'No response came')
  return response ? missingBecause(resultOf(response) ? 'The call ran to its end' : 'The call was answered with an error') : after
}
