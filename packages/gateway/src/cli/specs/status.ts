import type { CommandSpec } from '../command-spec.js'
import { gatewayOption, yesOption } from './shared-options.js'

export const statusSpec: CommandSpec = {
  name: 'status',
  about: 'Show the state of the gateway and its servers',
  options: [gatewayOption],
  examples: [['toolwire status', 'shows which servers are ready, and why others are not']],
  load: async () => (await import('../status.js')).run,
}

export const pinsSpec: CommandSpec = {
  name: 'pins',
  about: 'List accepted and waiting definitions of tools, prompts and resources',
  options: [gatewayOption],
  examples: [['toolwire pins', 'shows new and changed definitions that are withheld']],
  load: async () => (await import('../pins/list.js')).run,
  commands: [
    {
      name: 'diff',
      about: 'Show the changes of a tool, prompt, resource or template',
      operands: [['<name>', 'name from toolwire pins']],
      options: [gatewayOption],
      examples: [['toolwire pins diff shop__order', 'shows each difference, with hidden characters made visible']],
      load: async () => (await import('../pins/diff.js')).run,
    },
    {
      name: 'accept',
      about: 'Accept the current definition of a tool, or of several',
      operands: [['[name]', 'name from toolwire pins']],
      options: [
        gatewayOption,
        { flags: '--hash <hash>', about: 'accept only if the hash is still this one' },
        { flags: '--identity <id>', about: 'accept only from this server; pins diff shows its id' },
        { flags: '--server <name>', about: 'accept every waiting definition of this server' },
        { flags: '--all', about: 'accept every waiting definition' },
        yesOption,
      ],
      examples: [
        ['toolwire pins accept shop__order', 'shows the definition and asks'],
        ['toolwire pins accept --server shop', 'shows a summary and asks'],
      ],
      load: async () => (await import('../pins/accept.js')).run,
    },
  ],
}

const keysOptions = [
  gatewayOption,
  { flags: '--config <file>', about: 'if no gateway runs: the mcp.json (default: the usual places)' },
  { flags: '--data-dir <folder>', about: 'if no gateway runs: the data directory with the keys' },
]

export const keysSpec: CommandSpec = {
  name: 'keys',
  about: 'Create, list and revoke API keys of the gateway',
  more: 'If no gateway runs, changes go to the data directory and take effect at the next start.',
  commands: [
    {
      name: 'create',
      about: 'Create a key, and show it once',
      operands: [['[caller]', 'name of the caller in rules and the audit log']],
      options: [
        ...keysOptions,
        {
          flags: '--scope <scope>',
          about: 'a scope of the key, such as toolwire:admin for this program; repeatable',
          many: true,
        },
        { flags: '--for <time>', about: 'lifetime: 12h, 30d (default: unlimited)' },
      ],
      examples: [['toolwire keys create nightly-report --scope orders:read --for 90d', 'prints the key on stdout']],
      load: async () => (await import('../keys/create.js')).run,
    },
    {
      name: 'list',
      about: 'List the keys without their secrets',
      options: keysOptions,
      examples: [['toolwire keys list', 'shows callers and expiry dates']],
      load: async () => (await import('../keys/list.js')).run,
    },
    {
      name: 'revoke',
      about: 'Revoke a key',
      operands: [['<id>', 'id from toolwire keys list']],
      options: keysOptions,
      examples: [['toolwire keys revoke 0123456789abcdef', 'takes effect at once']],
      load: async () => (await import('../keys/revoke.js')).run,
    },
  ],
}
