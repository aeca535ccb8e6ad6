import { type CommandSpec, command, type OptionSpec } from '../command.js'
import { gatewayOption } from './shared-options.js'

const keysOptions: readonly OptionSpec[] = [
  gatewayOption,
  ['--config <file>', 'if no gateway runs: the mcp.json (default: the usual places)'],
  ['--data-dir <folder>', 'if no gateway runs: the data directory with the keys'],
]

export const keysCommands: readonly CommandSpec[] = [
  command('keys', 'Create, list and revoke API keys of the gateway', {
    more: 'If no gateway runs, changes go to the data directory and take effect at the next start.',
    commands: [
      command('create', 'Create a key, and show it once', {
        operands: [['[caller]', 'name of the caller in rules and the audit log']],
        options: [
          ...keysOptions,
          ['--scope <scope>', 'a scope of the key, such as toolwire:admin for this program; repeatable', 'many'],
          ['--for <time>', 'lifetime: 12h, 30d (default: unlimited)'],
        ],
        examples: [['toolwire keys create nightly-report --scope orders:read --for 90d', 'prints the key on stdout']],
        load: async () => (await import('../keys/create.js')).run,
      }),
      command('list', 'List the keys without their secrets', {
        options: keysOptions,
        examples: [['toolwire keys list', 'shows callers and expiry dates']],
        load: async () => (await import('../keys/list.js')).run,
      }),
      command('revoke', 'Revoke a key', {
        operands: [['<id>', 'id from toolwire keys list']],
        options: keysOptions,
        examples: [['toolwire keys revoke 0123456789abcdef', 'takes effect at once']],
        load: async () => (await import('../keys/revoke.js')).run,
      }),
    ],
  }),
]
