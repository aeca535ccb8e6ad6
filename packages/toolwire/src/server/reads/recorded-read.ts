// What is read besides tools is counted and recorded as calls are: what is about to be read before it is, and how it ended before
// the caller hears.
import { isObject, type JsonObject } from '../../json.js'
import { endingByThrow } from '../../policy/audit/record.js'
import { rateLimited } from '../../policy/rate-limit/index.js'
import { visibleLine } from '../../text/visible.js'
import { Refusal } from '../../tools/refusal.js'
import { listLimitFor, takeListCall } from '../lists/list-rate.js'
import type { RequestContext } from '../request-context.js'

type Answer = (x: RequestContext) => JsonObject | Promise<JsonObject>

/** As the log calls it: no tool has a slash in its name. */
type ReadMethod = 'read-resource' | 'get-prompt' | 'complete' | 'watch-resource'

const longest = 2_048
const shown = (value: unknown): string => visibleLine(String(value).slice(0, longest))

/** Only what it is about: arguments and values may be secrets. */
const abouts: { readonly [R in ReadMethod]: (params: JsonObject) => JsonObject } = {
  'read-resource': ({ uri }) => ({ uri: shown(uri) }),
  'watch-resource': ({ uri }) => ({ uri: shown(uri) }),
  'get-prompt': ({ name }) => ({ prompt: shown(name) }),
  complete: ({ ref, argument }) => {
    const { name, uri } = isObject(ref) ? ref : {}
    return {
      ...(name !== undefined ? { prompt: shown(name) } : { uri: shown(uri) }),
      argument: shown(isObject(argument) ? argument.name : ''),
    }
  },
}

/** Answers those who do not ask too often, and keeps a record of it where calls are recorded. */
export function recordedRead(reading: ReadMethod, answer: Answer): (x: RequestContext) => Promise<JsonObject> {
  return async (x) => {
    const log = x.app.audit
    const startedAt = performance.now()
    const common = {
      ...{ id: `read-${crypto.randomUUID()}`, tool: `toolwire/${reading}`, definitionHash: 'none' },
      caller: visibleLine(x.caller.id),
    }
    const unrecorded = (cause: unknown) => {
      throw new Refusal('unrecorded', `${x.request.method} could not be recorded, so it is not answered; try again later.`, {
        cause,
      })
    }
    const append = async (record: Parameters<NonNullable<typeof log>['append']>[0]) => {
      await Promise.resolve(log?.append(record)).catch(unrecorded)
    }
    const end = (ending: ReturnType<typeof endingByThrow>) =>
      append({ ...common, kind: 'outcome', at: Date.now(), durationMs: performance.now() - startedAt, ...ending })
    if (log) await append({ ...common, kind: 'intent', at: Date.now(), arguments: abouts[reading](x.params) })
    let answered: JsonObject
    try {
      await admitted(x)
      answered = await answer(x)
    } catch (thrown) {
      if (log) await end(endingByThrow(thrown, x.incoming.signal))
      throw thrown
    }
    if (log) await end({ decision: 'allowed', outcome: answered.resultType === 'input_required' ? 'asked' : 'ok' })
    return answered
  }
}

/** For each caller and method. */
async function admitted(x: RequestContext): Promise<void> {
  const limit = listLimitFor(x, x.app.settings.limits.reads)
  const waitMs = limit ? await takeListCall('read', limit, x) : 0
  if (limit && waitMs !== 0) throw rateLimited(`${x.request.method} has`, limit, waitMs)
}
