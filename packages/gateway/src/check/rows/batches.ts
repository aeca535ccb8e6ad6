// Several messages at once, which one edition has.
import type { JsonObject } from 'toolwire'
import { editions, since, structured } from '../editions.js'
import type { Row } from '../row.js'
import { isAnswer, type Talk } from '../talk.js'
import { enforced, missing, notTried, unless } from '../verdict.js'
import type { Heard } from '../wire/wire.js'
import { briefly, goesOn } from './malformed.js'
import { unread } from './refused.js'

const page = 'basic'
const how = 'Sends two pings and a notification in one array'
const only = editions.filter(({ batches }) => batches)

export const batchRows: readonly Row[] = [
  {
    id: 'batch-answered',
    level: 'MUST',
    editions: only,
    page,
    sentence: 'A batch is taken, and each request in it gets one response.',
    how,
    run: async (trial) => {
      const heard = await batch(await trial.talk())
      const faults = ids.filter((id) => heard.messages.filter((one) => isAnswer(one) && one.id === id).length !== 1)
      return unless(
        faults.map((id) => `Request ${id} did not get one response`),
        'Two requests, two responses',
      )
    },
  },
  {
    id: 'batch-notifications',
    level: 'MUST',
    editions: only,
    page,
    sentence: 'A notification in a batch gets no response.',
    how,
    run: async (trial) => {
      const heard = await batch(await trial.talk())
      const answers = heard.messages.filter(isAnswer)
      if (answers.length === 0) return notTried('The server answers no batches')
      return answers.length <= 2 ? enforced('Nothing answers it') : missing(`${answers.length} responses came for two requests`)
    },
  },
  {
    id: 'batch-empty',
    level: 'SHOULD',
    editions: only,
    page,
    sentence: 'An empty array is answered with the error -32600.',
    how: 'Sends []',
    run: async (trial) => unread(await (await trial.talk()).say('[]'), -32600),
  },
  {
    id: 'batch-refused',
    level: 'SHOULD',
    editions: since(structured),
    page: 'changelog',
    sentence: 'An array of messages is no message: nothing in it is carried out.',
    how: 'Lists the tools inside an array',
    run: async (trial) => refusedArray(await trial.talk()),
  },
]

async function refusedArray(talk: Talk) {
  const message = talk.request('tools/list')
  const heard = await talk.say(JSON.stringify([message]), { headers: talk.headers(message), ms: briefly(talk) })
  return heard.messages.some((one) => 'result' in one) ? missing('It was carried out') : goesOn(talk, heard)
}

const ids = ['batched-1', 'batched-2']

/** Waits until all of the requests are answered. */
function batch(talk: Talk): Promise<Heard> {
  const left = new Set<unknown>(ids)
  const notification = { jsonrpc: '2.0', method: 'notifications/nobody-knows-this' }
  const messages = [...ids.map((id) => ({ jsonrpc: '2.0', id, method: 'ping' })), notification]
  const until = ({ id }: JsonObject) => left.delete(id) && left.size === 0
  return talk.once('batch', () => talk.say(JSON.stringify(messages), { until }))
}
