// Helpers that read results.
import { RpcError } from 'toolwire'
import { type CallResult, ToolCallError } from 'toolwire/client'

export const textOf = (content: CallResult['content']): string =>
  content.map((block) => (block.type === 'text' ? block.text : '')).join('')

/** Servers differ in whether a refused call is a protocol error or a tool error. */
export const refused = (call: Promise<{ isError?: unknown }>): Promise<boolean> =>
  call.then(
    ({ isError }) => isError === true,
    (thrown) => thrown instanceof RpcError || thrown instanceof ToolCallError,
  )
