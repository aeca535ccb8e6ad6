import { codes, RpcError } from '../../jsonrpc/error.js'
import type { PeerInfo } from '../../peer/conversation.js'
import { tasksExtension } from '../../revisions/meta-keys.js'
import type { Revision } from '../../revisions/revision.js'

/** Where tasks are an extension, they are for requests that declare it. */
export const supportsTasks = ({ capabilities }: PeerInfo): boolean => capabilities.extensions?.[tasksExtension] !== undefined

export function tasksRequired({ errors }: Revision): RpcError {
  const requiredCapabilities = { extensions: { [tasksExtension]: {} } }
  return new RpcError(errors.missingCapability ?? codes.methodNotFound, `Missing required client capability: ${tasksExtension}`, {
    data: { requiredCapabilities },
  })
}
