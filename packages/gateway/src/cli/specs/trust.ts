import type { CommandSpec } from '../command-spec.js'
import { configOption, dryRunOption, yesOption } from './shared-options.js'

export const trustSpec: CommandSpec = {
  name: 'trust',
  about: 'Review and accept a config that was found in a working folder',
  more: `Each server and the settings of a found config need acceptance once, and again after a change. This command shows the waiting parts,
with their commands, addresses and variables. It asks in a terminal, and accepts without asking elsewhere.`,
  operands: [['[file]', 'an mcp.json (default: the one that the gateway would find here)']],
  options: [
    configOption,
    { flags: '--data-dir <folder>', about: 'data directory, if the gateway is started with this option' },
    { flags: '--forget', about: 'withdraw the acceptance of everything in the file' },
    dryRunOption,
    yesOption,
  ],
  examples: [
    ['toolwire trust', "shows the waiting parts of this folder's config and asks"],
    ['toolwire trust --dry-run', 'shows them, and accepts nothing'],
    ['toolwire trust ~/work/shop/.mcp.json --forget', 'withdraws the acceptance'],
  ],
  load: async () => (await import('../trust/trust.js')).run,
}
