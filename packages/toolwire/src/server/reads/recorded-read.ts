// Reads are rate-limited and recorded like tool calls: the intent before the read, and the outcome before the response.
import { isObject, type JsonObject } from '../../json.js'
import { type CallEnding, endingByThrow } from '../../policy/audit/record.js'
import type { RecordKeeper } from '../../policy/audit/record-keeper.js'
import { visibleLine } from '../../text/visible.js'
import { Refusal } from '../../tools/refusal.js'
import { limitReading } from '../lists/list-rate.js'
import type { RequestContext } from '../request-context.js'

type Answer = (x: RequestContext) => JsonObject | Promise<JsonObject>

/** Names in the audit log, where they follow `toolwire/`; no tool has a slash in its name. */
type ReadMethod = 'read-resource' | 'get-prompt' | 'complete' | 'watch-resource'

const longest = 2_048
const visibleText = (value: unknown): string => visibleLine(String(value).slice(0, longest))

/** The recorded arguments: only the subject of the read, because other values may be secrets. */
const recordedArguments: { readonly [R in ReadMethod]: (params: JsonObject) => JsonObject } = {
  'read-resource': ({ uri }) => ({ uri: visibleText(uri) }),
  'watch-resource': ({ uri }) => ({ uri: visibleText(uri) }),
  'get-prompt': ({ name }) => ({ prompt: visibleText(name) }),
  complete: ({ ref, argument }) => {
    const { name, uri } = isObject(ref) ? ref : {}
    const whose = name === undefined ? { uri: visibleText(uri) } : { prompt: visibleText(name) }
    return { ...whose, argument: visibleText(isObject(argument) ? argument.name : '') }
  },
}

/** Answers within the rate limit, and records the read with each audit policy. */
export function recordedRead(reading: ReadMethod, answer: Answer): Answer {
  return (x) => recordRead(x, { reading, params: x.params }, () => answer(x))
}

type Read = { readonly reading: ReadMethod; readonly params: JsonObject }
type ReadAnswer = () => JsonObject | Promise<JsonObject>

/** Records one read with each audit policy, and answers it within the rate limit. A request may make several. */
export function recordRead(x: RequestContext, read: Read, answer: ReadAnswer): JsonObject | Promise<JsonObject> {
  const admitted: ReadAnswer = async () => {
    await limitReading(x, 'read', read.reading === 'watch-resource' ? 'resources/subscribe' : undefined)
    return answer()
  }
  return x.app.records.reduceRight<ReadAnswer>((next, records) => () => recorded(x, { ...read, records, next }), admitted)()
}

type RecordedRead = Read & { readonly records: RecordKeeper; readonly next: ReadAnswer }

async function recorded(x: RequestContext, { records, reading, params, next }: RecordedRead): Promise<JsonObject> {
  const startedAt = performance.now()
  const caller = visibleLine(x.caller.id)
  const id = `read-${crypto.randomUUID()}`
  const about = { id, at: Date.now(), tool: `toolwire/${reading}`, definitionHash: 'none', caller }
  const written = async (write: () => void | Promise<void>) => {
    try {
      await write()
    } catch (cause) {
      const why = `${x.request.method} could not be recorded, so it is not answered; try again later.`
      throw new Refusal('unrecorded', why, { cause })
    }
  }
  const end = (ending: CallEnding) => written(() => records.end(about, { ending, startedAt }))
  await written(() => records.intend(about, () => recordedArguments[reading](params)))
  let answered: JsonObject
  try {
    answered = await next()
  } catch (thrown) {
    await end(endingByThrow(thrown, x.incoming.signal))
    throw thrown
  }
  await end({ decision: 'allowed', outcome: answered.resultType === 'input_required' ? 'asked' : 'ok' })
  return answered
}
