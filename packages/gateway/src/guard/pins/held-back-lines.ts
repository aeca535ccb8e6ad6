// Describes withheld definitions, with one line for all tools of a server that share a reason.
import type { Drift } from 'toolwire/guard'
import { shellWord } from '../../config/trust/trust-messages.js'
import type { HeldBackDefinition, ScanFinding } from './pin-views.js'

/** Returns each finding of a scan once for each server, with its tools; findings that withhold definitions come first. */
export function scanFindings(drifts: readonly Drift[]): ScanFinding[] {
  const found = new Map<string, ScanFinding & { readonly tools: string[] }>()
  for (const { server = '', tool, advice } of drifts)
    for (const { kind, why, holds, path, excerpt } of advice) {
      const key = JSON.stringify([server, kind, why, holds])
      const same = found.get(key)
      if (!same) found.set(key, { server, kind, why, holds, path, excerpt, tools: [tool] })
      else if (same.tools.at(-1) !== tool) same.tools.push(tool)
    }
  return [...found.values()].sort((one, other) => Number(other.holds) - Number(one.holds))
}

/** A line for each server and each reason, with the tools it is about and what to do. */
export function heldBackLines(drifts: readonly HeldBackDefinition[]): string[] {
  const groups = new Map<string, { readonly server: string; readonly why: string; readonly tools: string[] }>()
  for (const drift of drifts) {
    const { server = '', tool } = drift
    const why = reasonOf(drift)
    const key = JSON.stringify([server, why])
    const group = groups.get(key)
    if (group) group.tools.push(tool)
    else groups.set(key, { server, why, tools: [tool] })
  }
  return [...groups.values()].map(lineOf)
}

/** The reason for withholding, with the scan's explanation if the scan is the reason. */
function reasonOf({ before, advice, serverChange }: HeldBackDefinition): string {
  const what = serverChange ?? (before ? 'the definition has changed' : 'the definition is new')
  const strong = advice.find(({ holds }) => holds)
  if (serverChange !== undefined) return strong ? `${what} A scan found this: ${strong.why}` : what
  return strong ? `${what}, and a scan found this: ${strong.why}` : `${what}, and is not accepted yet.`
}

function lineOf({ server, why, tools }: { server: string; why: string; tools: readonly string[] }): string {
  const what = tools.some((name) => name.includes(' ')) ? 'definition' : 'tool'
  const count = tools.length === 1 ? `1 ${what} is` : `${tools.length} ${what}s are`
  return `${count} withheld (${namesOf(tools)}): ${why} Review: toolwire pins diff ${shellWord(tools[0] ?? '')}; accept: toolwire pins accept --server ${server}`
}

const mostNamed = 8

function namesOf(tools: readonly string[]): string {
  const more = tools.length - mostNamed
  return `${tools.slice(0, mostNamed).join(', ')}${more > 0 ? ` and ${more} more` : ''}`
}
