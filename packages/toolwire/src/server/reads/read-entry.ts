import { TimerQueue } from '../../bounds/timer-queue.js'
import type { JsonObject } from '../../json.js'
import { withTimeLimits } from '../../policy/timeout/index.js'
import type { ReadyPrompt } from '../../tools/prompt.js'
import { Refusal } from '../../tools/refusal.js'
import type { ReadyResource, ReadyTemplate } from '../../tools/resource.js'
import type { HandlerContext } from '../calls/handler-context.js'
import { handlerError } from '../calls/handler-error.js'
import { elicitInRun, resumeRun } from '../questions/run-with-elicitation.js'
import type { RequestContext } from '../request-context.js'
import { recordRead } from './recorded-read.js'

type Entry = ReadyPrompt | ReadyResource | ReadyTemplate
type EntryRead<F, T> = {
  readonly reading: 'read-resource' | 'get-prompt'
  readonly find: () => F
  /** Checks the parameters, and returns the function that reads. */
  readonly reader: (found: F) => (context: HandlerContext) => Promise<T>
  readonly encode: (value: T, found: F) => JsonObject
}

/** Reads a resource or gets a prompt. Like a call, it may ask its caller, and comes back with the answers. */
export async function readEntry<F extends { readonly entry: Entry }, T>(
  x: RequestContext,
  { reading, find, reader, encode }: EntryRead<F, T>,
): Promise<JsonObject> {
  // A state that cannot be resumed refuses the read, and so it is thrown where the read is recorded.
  const [resumed] = await Promise.allSettled([resumeRun(x)])
  const continued = resumed.status === 'fulfilled' && resumed.value.context.continued
  return recordRead(x, { reading, params: x.params, continued, find }, async (found, begin) => {
    if (resumed.status === 'rejected') throw resumed.reason
    const run = resumed.value
    const { entry } = found
    const read = reader(found)
    const admit = () => x.admitReading(entry)
    const admitting = admit()
    if (admitting) await admitting
    begin()
    const elicited = await elicitInRun(run, (context) => {
      context.checkAnswer = admit
      context.recheck = recheckOf(x, entry, () => find().entry)
      return readInTime(x, { entry, context }, () => read(context))
    })
    return 'asked' in elicited ? elicited.asked : encode(elicited.value, found)
  })
}

/** Returns a function that throws if the caller may no longer read, or if the entry is no longer offered. */
export function recheckOf(x: RequestContext, entry: Entry, find: () => Entry): () => void | Promise<void> {
  const { server } = entry.definition
  const checkOffered = () => {
    let now: Entry | undefined
    let cause: unknown
    try {
      now = find()
    } catch (thrown) {
      cause = thrown
    }
    if (now && now.definition.server === server) return
    const why = 'It is no longer offered as it was when it was asked for, so nothing was sent. List the entries again'
    throw new Refusal('definition-changed', why, { cause })
  }
  return () => {
    const admitting = x.admitReading(entry)
    return admitting ? admitting.then(checkOffered) : checkOffered()
  }
}

const timerQueue = new TimerQueue()
const usualMs = 60_000

type TimedRead = { readonly entry: Entry; readonly context: HandlerContext }

/** Reads under the clock of a call, which stops while a person is being asked. */
export async function readInTime<T>({ request }: RequestContext, timed: TimedRead, read: () => Promise<T>): Promise<T> {
  const { timeout: ms = usualMs } = timed.entry.definition
  const { stopped, cancelToken } = timed.context
  if (stopped) throw cancelToken.reason
  try {
    return await withTimeLimits(timed, read, { name: request.method, timerQueue, limits: { idleMs: ms, totalMs: ms } })
  } catch (thrown) {
    throw handlerError(thrown)
  }
}
