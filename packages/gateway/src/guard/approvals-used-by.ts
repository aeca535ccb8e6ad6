import type { ApprovalStore, ToolCall } from 'toolwire/guard'
import { plainText } from 'toolwire/relay'
import { recordsOf } from '../store/audit/record-action.js'
import type { Store } from '../store/store.js'

/** Where this call takes an approval, the log says so with `record`, its id there. Both are done, or neither. */
export function approvalsUsedBy({ approvals, audit }: Pick<Store, 'approvals' | 'audit'>) {
  return ({ caller, tool }: ToolCall, record: string | undefined): ApprovalStore => ({
    ...approvals,
    release(id, digest) {
      const about = { id, tool: plainText.visibleLine(tool.name), call: record ?? null }
      const records = recordsOf({ by: plainText.visibleLine(caller.id), act: 'use-approval', about })
      return approvals.release(id, digest, (use) => audit.appendWithUse(records, use))
    },
  })
}
