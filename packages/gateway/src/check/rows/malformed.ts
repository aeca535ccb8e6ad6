// Text that is no message.
import { between, dialects, every, first, since, structured } from '../editions.js'
import type { Row } from '../row.js'
import { codeOf, type Talk } from '../talk.js'
import type { Trial } from '../trial.js'
import { enforced, missing, notTried, type Verdict } from '../verdict.js'
import type { Heard } from '../wire/wire.js'
import { answerIn, headersFirst, outcomeOf, unread } from './refused.js'

const page = 'basic'

export const malformedRows: readonly Row[] = [
  {
    // JSON-RPC names the code; that what is no request must be answered stands on no page.
    id: 'base-parse-error',
    level: 'SHOULD',
    editions: every,
    page,
    sentence: 'Text that is no JSON is answered with the error -32700.',
    how: 'Sends an opening brace and three letters',
    run: async (trial) => unread(await garbage(await trial.talk()), -32700),
  },
  {
    id: 'base-invalid-request',
    level: 'SHOULD',
    editions: every,
    page,
    sentence: 'JSON that is no message is answered with the error -32600.',
    how: 'Sends a request whose method is the number 7',
    run: async (trial) => {
      const talk = await trial.talk()
      const heard = await talk.say('{"jsonrpc":"2.0","id":1,"method":7}', { headers: someMethod(talk) })
      return unread(heard, -32600, ...headersFirst(talk))
    },
  },
  {
    id: 'base-unreadable-id-omitted',
    // The schema has no null here, but JSON-RPC, which messages must follow, has.
    level: 'ADVICE',
    editions: since(dialects),
    page,
    sentence: 'An error about a message whose id could not be read has no id.',
    how: 'Sends an opening brace and three letters',
    run: (trial) => idOfGarbage(trial, (answer) => !('id' in answer), 'no id'),
  },
  {
    id: 'base-unreadable-id-null',
    level: 'SHOULD',
    editions: between(first, structured),
    page,
    sentence: 'An error about a message whose id could not be read says null for it, or over HTTP nothing.',
    how: 'Sends an opening brace and three letters',
    run: async (trial) => {
      const { wire } = await trial.talk()
      // spec 2025-03-26, basic/transports#sending-messages-to-the-server: there it may have no id
      return idOfGarbage(trial, ({ id }) => id === null || (id === undefined && wire.kind === 'http'), 'the id null')
    },
  },
  {
    id: 'base-utf8',
    level: 'ADVICE',
    editions: every,
    page: 'basic/transports',
    sentence: 'Messages are UTF-8: bytes that are not are refused, and the conversation goes on.',
    how: 'Sends a request whose id holds the byte 0xFF, then lists the tools',
    run: async (trial) => {
      const talk = await trial.talk()
      const message = talk.request('tools/list', {}, { id: 'a@b' })
      const bytes = Uint8Array.from(Buffer.from(JSON.stringify(message)), (byte) => (byte === 0x40 ? 0xff : byte))
      const heard = await talk.say(bytes, { headers: talk.headers(message), ms: briefly(talk) })
      const answer = answerIn(heard)
      if (answer && 'result' in answer) return missing('It was carried out, as if the bytes were text')
      return goesOn(talk, heard)
    },
  },
  {
    id: 'base-duplicate-keys',
    level: 'ADVICE',
    editions: every,
    page,
    sentence: 'A message that says the same member twice means two things; it is refused.',
    how: 'Sends a request that names two methods',
    run: async (trial) => {
      const talk = await trial.talk()
      const message = talk.request('tools/list')
      const twice = JSON.stringify(message).replace('"method"', '"method":"tools/nobody-knows-this","method"')
      const heard = await talk.say(twice, { headers: talk.headers(message), ms: briefly(talk) })
      const answer = answerIn(heard)
      return answer && 'result' in answer ? missing('It was carried out') : goesOn(talk, heard)
    },
  },
  {
    id: 'stdio-blank-lines',
    level: 'ADVICE',
    editions: every,
    over: 'stdio',
    page: 'basic/transports',
    sentence: 'Blank lines, and lines that end in CR LF, do not put the conversation out of step.',
    how: 'Sends two blank lines and a request that ends in CR LF',
    run: async (trial) => {
      const talk = await trial.talk()
      const message = talk.request('tools/list')
      const heard = await talk.say(`\n\r\n${JSON.stringify(message)}\r`, { until: (one) => one.id === message.id })
      return heard.messages.some((one) => one.id === message.id && 'result' in one)
        ? enforced('The request was answered')
        : missing(outcomeOf(heard))
    },
  },
]

/** For what need not be answered: what would be carried out is carried out soon. */
export const briefly = ({ ms }: Talk): number => Math.min(ms, 1_500)

/** What no header can repeat goes beside those of another message, so that it is not refused for a missing one. */
const someMethod = (talk: Talk): Record<string, string> => talk.headers({ method: 'tools/list' })

export const garbage = (talk: Talk): Promise<Heard> => talk.once('garbage', () => talk.say('{bad', { headers: someMethod(talk) }))

async function idOfGarbage(
  trial: Trial,
  isRight: (answer: object & { id?: unknown }) => boolean,
  wanted: string,
): Promise<Verdict> {
  const answer = answerIn(await garbage(await trial.talk()))
  if (!answer || codeOf(answer) === undefined) return notTried('It was not answered with an error')
  return isRight(answer)
    ? enforced(`The error has ${wanted}`)
    : missing(`Wanted ${wanted}; the id is ${JSON.stringify(answer.id)}`)
}

/** Not carried out; what counts then is that the server is still there. */
export async function goesOn(talk: Talk, heard: Heard): Promise<Verdict> {
  const after = await talk.ask('tools/list')
  return after.response
    ? enforced(`Not carried out (${outcomeOf(heard)}), and the server goes on`)
    : missing(`The server answered nothing afterwards: ${outcomeOf(after)}`)
}
