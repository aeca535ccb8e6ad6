// Requests that are called off.
import { every } from '../editions.js'
import type { Row } from '../row.js'
import { isAnswer, resultOf } from '../talk.js'
import type { Trial } from '../trial.js'
import { enforced, missing, notTried, type Verdict } from '../verdict.js'
import { outcomeOf } from './refused.js'

const page = 'basic/utilities/cancellation'
const cancelled = 'notifications/cancelled'
const startMs = 300

export const cancellationRows: readonly Row[] = [
  {
    id: 'cancel-unknown',
    level: 'SHOULD',
    editions: every,
    page,
    sentence: 'Calling off what nobody asked for changes nothing.',
    how: 'Calls off a request that never was, and one without an id; then lists the tools',
    run: async (trial) => {
      const talk = await trial.talk()
      const before = talk.wire.all.length
      await talk.notify(cancelled, { requestId: 'never-was' })
      await talk.notify(cancelled, {})
      const after = await talk.ask('tools/list')
      if (!resultOf(after.response)) return missing(`Listing the tools afterwards: ${outcomeOf(after)}`)
      const others = talk.wire.all.slice(before).filter((one) => isAnswer(one) && one !== after.response)
      return others.length === 0 ? enforced('Nothing came, and the server goes on') : missing('It was answered')
    },
  },
  {
    id: 'cancel-late',
    level: 'SHOULD',
    editions: every,
    page,
    sentence: 'Calling off what is already done changes nothing.',
    how: 'Lists the tools, calls that off, and lists them again',
    run: async (trial) => {
      const talk = await trial.talk()
      const done = await talk.ask('tools/list')
      await talk.notify(cancelled, { requestId: done.response?.id ?? 0 })
      const after = await talk.ask('tools/list')
      return resultOf(after.response)
        ? enforced('The server goes on')
        : missing(`Listing the tools afterwards: ${outcomeOf(after)}`)
    },
  },
  {
    id: 'cancel-honoured',
    level: 'SHOULD',
    editions: every,
    page,
    sentence: 'A call that is called off gets no response any more.',
    how: 'Calls a tool that takes its time, and calls it off',
    run: (trial) => calledOff(trial),
  },
]

async function calledOff(trial: Trial): Promise<Verdict> {
  const { slow } = trial.options
  if (!slow) return notTried('Only with --slow')
  const talk = await trial.fresh()
  const tool = (await trial.tools()).find(({ name }) => name === slow.name)
  if (!tool) return notTried(`There is no tool ${slow.name}`)
  const id = talk.nextId()
  const gone = new AbortController()
  const asked = talk.ask(
    'tools/call',
    { name: slow.name, arguments: slow.args },
    { id, schema: tool.inputSchema, signal: gone.signal },
  )
  await new Promise((resolve) => setTimeout(resolve, startMs))
  const hangUp = talk.wire.kind === 'http' && !talk.edition.handshake
  if (hangUp) gone.abort()
  else await talk.notify(cancelled, { requestId: id, reason: 'A check' })
  const { response } = await asked
  const after = await talk.ask('tools/list')
  if (response) return missing(resultOf(response) ? 'It ran to its end' : 'It was answered with an error')
  return resultOf(after.response) ? enforced('No response came') : missing(`Listing the tools afterwards: ${outcomeOf(after)}`)
}
