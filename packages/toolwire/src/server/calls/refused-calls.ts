// Records calls that are refused before a policy sees them, such as calls of unknown tools. Callers can cause them at will, so a few of
// each caller are recorded in a minute, and then the number of the others.
import { sharedRoom } from '../../bounds/shared-room.js'
import type { JsonObject } from '../../json.js'
import { codes, RpcError } from '../../jsonrpc/error.js'
import type { AuditRecordBase, CallEnding } from '../../policy/audit/record.js'
import { visibleLine } from '../../text/visible.js'
import { Refusal } from '../../tools/refusal.js'
import type { App } from '../app.js'
import type { RequestContext } from '../request-context.js'

/** Records in one minute, so that one caller cannot hide the calls of another. */
const most = { each: 10, all: 40 }
const minuteMs = 60_000
const longestName = 128

type Minute = { readonly room: ReturnType<typeof sharedRoom>; notRecorded: number }

export class RefusedCalls {
  readonly #app: Pick<App, 'records'>
  #minute: Minute | undefined

  constructor(app: Pick<App, 'records'>) {
    this.#app = app
  }

  /** Notes a refusal, unless a policy has seen the call and so records it. The refusal does not wait for its record. */
  note(x: RequestContext, thrown: unknown): void {
    if (x.isRecorded || this.#app.records.length === 0) return
    x.isRecorded = true
    this.#minute ??= this.#startMinute()
    const { room } = this.#minute
    const caller = visibleLine(x.caller.id)
    if (!room.hasRoom(caller, 1)) return void this.#minute.notRecorded++
    room.take(caller, 1)
    const { name } = x.params
    const args = { tool: typeof name === 'string' ? visibleLine(name.slice(0, longestName)) : null }
    this.#write(caller, args, endingOfRefused(thrown))
  }

  #startMinute(): Minute {
    const minute: Minute = { room: sharedRoom(most), notRecorded: 0 }
    const timer = setTimeout(() => {
      this.#minute = undefined
      const { notRecorded } = minute
      if (notRecorded > 0) this.#write('toolwire', { notRecorded, withinMs: minuteMs }, refused)
    }, minuteMs)
    // On runtimes where timers are plain numbers there is no `unref`.
    if (typeof timer === 'object') timer.unref()
    return minute
  }

  #write(caller: string, args: JsonObject, ending: CallEnding): void {
    const about: AuditRecordBase = {
      id: `refused-${crypto.randomUUID()}`,
      at: Date.now(),
      tool: 'toolwire/refuse-call',
      definitionHash: 'none',
      caller,
    }
    const write = async (records: App['records'][number]) => {
      const startedAt = performance.now()
      await records.intend(about, () => args)
      await records.end(about, { ending, startedAt })
    }
    for (const records of this.#app.records) write(records).catch(shownAsTrouble)
  }
}

/** The audit policy shows a record that could not be written as its `trouble`. */
const shownAsTrouble = () => undefined

const refused: CallEnding = { decision: 'refused', outcome: 'refused' }

/** The ending of a call or a read that was refused before its handler. While servers are missing, it is unknown if the name is wrong. */
export function endingOfRefused(thrown: unknown): CallEnding {
  if (thrown instanceof Refusal) return { ...refused, reason: thrown.reason }
  const isInvalid = thrown instanceof RpcError && thrown.code !== codes.internalError
  return isInvalid ? { ...refused, reason: 'invalid-arguments' } : refused
}
