// Reads are rate-limited and recorded like tool calls: the intent before the read, and the outcome before the response.
import { isObject, type JsonObject } from '../../json.js'
import { RpcError } from '../../jsonrpc/error.js'
import { type AuditRecordBase, type CallEnding, endingByThrow } from '../../policy/audit/record.js'
import type { RecordKeeper } from '../../policy/audit/record-keeper.js'
import { visibleLine } from '../../text/visible.js'
import { Refusal } from '../../tools/refusal.js'
import { endingOfRefused } from '../calls/refused-calls.js'
import { limitReading } from '../lists/list-rate.js'
import type { RequestContext } from '../request-context.js'

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

type Read = {
  readonly reading: ReadMethod
  readonly params: JsonObject
  /** A later round of a read that was admitted in an earlier one. */
  readonly continued?: boolean
}
type FoundEntry = { readonly entry: { readonly definition: { readonly server?: string } } }
type Finding<E> = Read & { readonly find: () => E }
/** Answers a read. It calls `begin` when all is checked, right before the handler is asked. */
type FoundAnswer<E> = (found: E, begin: () => void) => JsonObject | Promise<JsonObject>
type ReadAnswer = () => JsonObject | Promise<JsonObject>

/** Records one read with each audit policy, and answers it within the rate limit. A request may make several. */
export async function recordRead<E extends FoundEntry>(
  x: RequestContext,
  { find, ...read }: Finding<E>,
  answer: FoundAnswer<E>,
): Promise<JsonObject> {
  let isMade = false
  const begin = () => {
    isMade = true
  }
  // The record names the server, so the entry is found first. If there is none, the failed read is recorded, too.
  const [sought] = await Promise.allSettled([findWithinLimit(x, read, find)])
  const server = sought.status === 'fulfilled' ? sought.value.entry.definition.server : undefined
  const answerFound: ReadAnswer = () => {
    if (sought.status === 'rejected') throw sought.reason
    return answer(sought.value, begin)
  }
  const about = { ...read, server, isMade: () => isMade }
  return x.app.records.reduceRight<ReadAnswer>((next, records) => () => recorded(x, { ...about, records, next }), answerFound)()
}

async function findWithinLimit<E>(x: RequestContext, { reading, continued }: Read, find: () => E): Promise<E> {
  // A read that comes back with an answer is not a second read.
  if (!continued) await limitReading(x, 'read', reading === 'watch-resource' ? 'resources/subscribe' : undefined)
  return find()
}

/** A read of a hidden entry is answered like one of an absent entry, and recorded as refused. */
const refusalIn = (thrown: unknown): unknown =>
  thrown instanceof RpcError && thrown.cause instanceof Refusal ? thrown.cause : thrown

type RecordedRead = Read & {
  readonly server: string | undefined
  readonly isMade: () => boolean
  readonly records: RecordKeeper
  readonly next: ReadAnswer
}

async function recorded(x: RequestContext, read: RecordedRead): Promise<JsonObject> {
  const { records, reading, params, next } = read
  const startedAt = performance.now()
  const about = recordOf(x, read)
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
    const why = refusalIn(thrown)
    await end(why instanceof RpcError && !read.isMade() ? endingOfRefused(why) : endingByThrow(why, x.incoming.signal))
    throw thrown
  }
  await end({ decision: 'allowed', outcome: answered.resultType === 'input_required' ? 'asked' : 'ok' })
  return answered
}

const recordOf = ({ caller }: RequestContext, { reading, server, continued }: RecordedRead): AuditRecordBase => ({
  id: `read-${crypto.randomUUID()}`,
  at: Date.now(),
  tool: `toolwire/${reading}`,
  definitionHash: 'none',
  caller: visibleLine(caller.id),
  ...(server !== undefined && { server: visibleLine(server) }),
  ...(continued && { continued }),
})
