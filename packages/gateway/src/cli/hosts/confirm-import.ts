import type { ImportedServer } from '../../config/index.js'
import { readEntry } from '../../config/servers/read-entry.js'
import { serverPart } from '../../config/trust/untrusted-parts.js'
import { type CommandContext, isOptionOn, refusedError } from '../command.js'
import { isConfirmed } from '../forms/prompts.js'
import type { Terminal } from '../terminal/terminal.js'
import { visibleTextLine } from '../terminal/visible-text.js'

/** Everything that an imported server would run, contact or read, as `toolwire trust` shows it. Only apparent secrets are masked. */
export function serverActions({ id, entry: value }: ImportedServer, { paint }: Pick<Terminal, 'paint'>): string[] {
  const { lines } = serverPart({ id, entry: readEntry({ name: id, at: '', value }) }, {})
  return lines.map((line) => (line.startsWith('! ') ? paint.red(visibleTextLine(line)) : visibleTextLine(line)))
}

/** Shows the programs and addresses to be copied, and asks for confirmation; throws if there is no terminal to ask. */
export async function confirmImport(servers: readonly ImportedServer[], { input, terminal }: CommandContext) {
  if (servers.length === 0 || isOptionOn(input, 'yes') || isOptionOn(input, 'trust')) return true
  if (!terminal.interactive) {
    const names = servers.map(({ id }) => visibleTextLine(id)).join(', ')
    throw refusedError(
      `Nothing was written. The gateway would start or contact ${names}, and no terminal is available to confirm it. Review them with --dry-run, then add --yes`,
    )
  }
  const { bold, yellow } = terminal.paint
  const lines = servers.flatMap((server) =>
    [bold(visibleTextLine(server.id)), ...serverActions(server, terminal)].map((line) => `  ${line}\n`),
  )
  const warning = yellow('The gateway starts these programs on this machine with your rights:')
  process.stderr.write(`\n${warning}\n${lines.join('')}`)
  if (await isConfirmed('Copy them?', input.signal)) return true
  terminal.say('Nothing was written.')
  return false
}
