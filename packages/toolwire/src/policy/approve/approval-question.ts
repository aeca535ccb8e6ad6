// What a person reads before they decide, as plain text.

import { visibleLine } from '../../text/visible.js'
import type { Hints } from '../../tools/tool.js'
import type { ApprovalRequest } from './approval.js'

/** Bytes of arguments, written so that nothing in them is hidden, that a person can be expected to read. */
export const maxShownBytes = 4_096
const longestName = 200

/** Nobody is asked about what they would not see to the end. */
export const isShowable = ({ display }: ApprovalRequest): boolean =>
  display.length <= maxShownBytes && new TextEncoder().encode(display).length <= maxShownBytes

/** Everything that others wrote stays on its line, or inside the quotes of JSON; the words of ours cannot be imitated there. */
export function approvalQuestion(request: ApprovalRequest): string {
  const { server, tool, hints, display } = request
  return [
    'Allow this call?',
    `Server: ${server === undefined ? 'the one that asks' : quoted(server)}`,
    `Tool: ${quoted(tool.name)}${tool.title === undefined ? '' : `, called ${quoted(tool.title)}`}`,
    `What it may do: ${mayDo(hints)}`,
    'Arguments, exactly as they will be used:',
    display,
  ].join('\n')
}

function quoted(text: string): string {
  const line = visibleLine(text)
  return line.length > longestName ? `${JSON.stringify(line.slice(0, longestName))} (cut: it is longer)` : JSON.stringify(line)
}

function mayDo({ readOnly, destructive, idempotent, openWorld }: Readonly<Required<Hints>>): string {
  const where = openWorld ? ', and reach the world outside' : ''
  if (readOnly) return `only read${where}`
  const what = destructive ? 'change things, even delete or overwrite them' : 'add things'
  return `${what}${where}${idempotent ? '; doing it twice is no more than doing it once' : ''}`
}
