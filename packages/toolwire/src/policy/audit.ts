import { Refusal } from '../tools/refusal.js'
import type { ToolResult } from '../tools/result.js'
import type { ToolCall } from '../tools/tool.js'
import { visibleLine } from '../tools/visible.js'
import { type AuditRecord, type Ending, endedBy, endedWith, type Recorded } from './audit-record.js'
import { definitionHash } from './definition-hash.js'
import type { Next, Policy } from './policy.js'
import { type Redactor, unredacted, withDigests } from './redaction.js'
import { within } from './within.js'

/** How calls are recorded. */
export type AuditOptions = {
  /** Keeps the record; when it returns, or its promise settles, the record must be safe. */
  write: (record: AuditRecord) => void | Promise<void>
  /** What is kept of the arguments: digests, unless this is 'none', or a function of your own. */
  redact?: 'none' | Redactor
  /** For the digests. Without one, equal values match only within this process. */
  key?: Uint8Array<ArrayBuffer>
  /** Milliseconds that a record may take to be written. */
  waitMs?: number
}

/** The policy, and how it is doing. */
export type Auditing = Policy & {
  /** Why the last record could not be written; undefined when all is well. */
  readonly trouble: unknown
}

/** Records every call: what is about to be done before it is done, and how it ended before the caller hears. No record, no call. */
export function audit({ write, redact, key = randomKey(), waitMs = 5_000 }: AuditOptions): Auditing {
  const redactor = typeof redact === 'function' ? redact : redact === 'none' ? unredacted : withDigests(key)
  let trouble: unknown

  async function keep(record: () => AuditRecord | Promise<AuditRecord>): Promise<void> {
    try {
      await within(waitMs, Promise.resolve().then(record).then(write))
      trouble = undefined
    } catch (thrown) {
      trouble = thrown
      throw thrown
    }
  }

  async function intend(call: ToolCall): Promise<Recorded> {
    const about = { ...describe(call), definitionHash: await definitionHash(call.tool) }
    await keep(async () => ({ kind: 'intent', ...about, at: Date.now(), arguments: await redactor(call) }))
    return about
  }

  return {
    name: 'audit',
    get trouble() {
      return trouble
    },
    async call(call, next) {
      const about = await intend(call).catch((cause) => Promise.reject(notMade(call, cause)))
      const startedAt = performance.now()
      const { ending, deliver } = await attempt(call, next)
      const durationMs = performance.now() - startedAt
      await keep(() => ({ kind: 'outcome', ...about, at: Date.now(), durationMs, ...ending })).catch((cause) =>
        Promise.reject(withheld(call, ending, cause)),
      )
      return deliver()
    },
  }
}

/** Makes the call, and holds back what came of it. */
async function attempt(call: ToolCall, next: Next): Promise<{ ending: Ending; deliver: () => ToolResult }> {
  try {
    const result = await next(call)
    return { ending: endedWith(result), deliver: () => result }
  } catch (thrown) {
    const rethrow = () => {
      throw thrown
    }
    return { ending: endedBy(thrown), deliver: rethrow }
  }
}

const describe = ({ tool, server, caller }: ToolCall) => ({
  id: crypto.randomUUID(),
  at: Date.now(),
  ...(server !== undefined && { server: visibleLine(server) }),
  tool: visibleLine(tool.name),
  caller: caller.id,
})

const randomKey = () => crypto.getRandomValues(new Uint8Array(32))

const notMade = ({ tool }: ToolCall, cause: unknown): Refusal =>
  new Refusal('unrecorded', `The call to ${tool.name} could not be recorded, so it was not made; try again later.`, { cause })

function withheld({ tool }: ToolCall, { decision }: Ending, cause: unknown): Refusal {
  const what = decision === 'refused' ? 'was refused' : 'was made'
  const advice = decision === 'refused' ? '' : ' Do not repeat it before checking what it did.'
  const said = `The call to ${tool.name} ${what}, but how it ended could not be recorded and is withheld.${advice}`
  return new Refusal('unrecorded', said, { cause })
}
