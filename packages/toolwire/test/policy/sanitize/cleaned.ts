// Sends one result through one policy.
import { type SanitizeOptions, sanitize } from '../../../src/policy/sanitize/index.js'
import type { ToolResult } from '../../../src/tools/result.js'
import { callOf, through } from '../call.js'

export async function cleaned(answer: ToolResult, options: SanitizeOptions = {}): Promise<ToolResult> {
  const { result, refusal } = await through(sanitize(options), callOf(), answer)
  if (!result) throw refusal
  return result
}

export const ofText = (text: string): ToolResult => ({ content: [{ type: 'text', text }], isError: false })

export function textOf({ content: [block] }: ToolResult): string {
  if (block?.type !== 'text') throw new TypeError('No text')
  return block.text
}

export const clean = async (text: string, options?: SanitizeOptions) => textOf(await cleaned(ofText(text), options))
