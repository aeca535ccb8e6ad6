import type { CommandSpec } from '../command-spec.js'
import { configOption, dryRunOption, yesOption } from './shared-options.js'

export const trustSpec: CommandSpec = {
  name: 'trust',
  about: 'Look at a config that was found in a working folder, and accept it',
  more: `A config that nobody has named is used as far as somebody has accepted it: each server, and the settings, once, and again when they change.
Shows what waits, with commands, addresses and the variables that are read. Asks in a terminal; accepts without a question elsewhere.`,
  operands: [['[file]', 'an mcp.json; else the one that the gateway would find here']],
  options: [
    configOption,
    { flags: '--data-dir <folder>', about: 'where the gateway keeps its data, if it is started with this option' },
    { flags: '--forget', about: 'let everything in it wait again' },
    dryRunOption,
    yesOption,
  ],
  examples: [
    ['toolwire trust', 'shows what waits in the config of this folder, and asks'],
    ['toolwire trust --dry-run', 'shows it, and accepts nothing'],
    ['toolwire trust ~/work/shop/.mcp.json --forget', 'it waits again'],
  ],
  load: async () => (await import('../trust/trust.js')).run,
}
