// Reading what came back.
import { RpcError } from 'toolwire'
import { type CallResult, ToolCallError } from 'toolwire/client'

export const textOf = (content: CallResult['content']): string =>
  content.map((block) => (block.type === 'text' ? block.text : '')).join('')

/** Servers differ in whether such a call is an error of the protocol or of the tool. */
export const refused = (call: Promise<{ isError?: unknown }>): Promise<boolean> =>
  call.then(
    ({ isError }) => isError === true,
    (thrown) => thrown instanceof RpcError || thrown instanceof ToolCallError,
  )
