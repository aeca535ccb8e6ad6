// Tasks: which tools may be called as one. The task that a caller gets is this gateway's own; at the upstream the call is whatever it
// is there.
import type { JsonObject } from 'toolwire'
import type { RemoteTool } from 'toolwire/client'
import { isObject } from '../../common/json.js'

/** spec 2026-07-28, extensions/tasks */
const extension = 'io.modelcontextprotocol/tasks'

/**
 * What the upstream says about it: tool by tool where clients ask for tasks; where servers make them as they see fit, any tool may take
 * as long.
 */
export function taskSupportOf({ taskSupport }: RemoteTool, capabilities: JsonObject | undefined): RemoteTool['taskSupport'] {
  const { extensions, tasks } = capabilities ?? {}
  if (isObject(extensions) && extensions[extension] !== undefined) return 'optional'
  const requests = isObject(tasks) ? tasks.requests : undefined
  const takesCalls = isObject(requests) && isObject(requests.tools) && requests.tools.call !== undefined
  return takesCalls ? taskSupport : undefined
}
