import { problem } from '../config-error.js'
import type { Target } from '../gateway-config.js'
import { matchesAny } from '../globs.js'
import { commandRisks } from './command-risks.js'
import type { ServerEntry } from './server-entry.js'

/** Refuses to start a command that is not on the allowlist. Without a list, every configured command may start. */
export function checkCommandAllowed(target: Target, { at }: ServerEntry, allowed: readonly string[] | undefined): void {
  if (target.kind !== 'child' || allowed === undefined || matchesAny(allowed, lineOf(target))) return
  throw problem(`${at}/command`, 'the command is not allowed by toolwire.commands; add it there to start it')
}

/** What somebody should look at before it is started. */
export const commandWarnings = (id: string, target: Target): readonly string[] =>
  target.kind === 'child' ? commandRisks(target).map((risk) => `${id}: its command ${risk}; review it before you trust it`) : []

const lineOf = ({ command, args }: Target & { kind: 'child' }): string => [command, ...args].join(' ')
