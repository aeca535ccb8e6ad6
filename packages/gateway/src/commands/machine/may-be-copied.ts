import { shownCommand } from '../../config/describe.js'
import type { ImportedServer } from '../../config/index.js'
import { risksOf } from '../../config/servers/risky.js'
import { refused } from '../exit-codes.js'
import { Closed, promptsHere } from '../forms/prompts.js'
import { type Input, isOn } from '../spec.js'
import { visibleLine } from '../terminal/hidden.js'
import type { Terminal } from '../terminal/terminal.js'

/** The whole command of a server that is a program here, and what is risky about it. Only what looks like a secret is not shown. */
export function whatItDoes({ entry: { command, args, url } }: ImportedServer, { paint }: Pick<Terminal, 'paint'>): string[] {
  if (typeof command !== 'string') return [`at ${visibleLine(String(url))}`]
  const target = { kind: 'child' as const, command, args: Array.isArray(args) ? args.map(String) : [], env: {} }
  const risks = risksOf(target).map((risk) => paint.red(`! ${risk}`))
  return [`runs ${visibleLine(shownCommand(target))}`, ...risks]
}

/** Shows which programs the gateway will start and which addresses it will contact, and asks. Nothing is copied where nobody is there to be asked. */
export async function mayBeCopied(servers: readonly ImportedServer[], input: Input, terminal: Terminal): Promise<boolean> {
  if (servers.length === 0 || isOn(input, 'yes') || isOn(input, 'trust')) return true
  if (!terminal.interactive) {
    const names = servers.map(({ id }) => visibleLine(id)).join(', ')
    throw refused(
      `Nothing was written: the gateway would start or contact ${names}, and nobody is here to be asked. Look at them with --dry-run, and copy them with --yes`,
    )
  }
  const { bold, yellow } = terminal.paint
  const lines = servers.flatMap((server) => [bold(server.id), ...whatItDoes(server, terminal)].map((line) => `  ${line}\n`))
  const warning = yellow('The gateway starts these programs on this machine, and they may do there whatever you may:')
  process.stderr.write(`\n${warning}\n${lines.join('')}`)
  try {
    if (await (await promptsHere(input.signal)).yesOrNo('Copy them?')) return true
  } catch (thrown) {
    if (!(thrown instanceof Closed)) throw thrown
  }
  terminal.say('Nothing was written.')
  return false
}
