import type { CommandSpec } from '../command-spec.js'
import { gatewayOption, yesOption } from './shared-options.js'

export const statusSpec: CommandSpec = {
  name: 'status',
  about: 'Say how the gateway and its servers are',
  options: [gatewayOption],
  examples: [['toolwire status', 'which servers are ready, and why the others are not']],
  load: async () => (await import('../status.js')).run,
}

export const pinsSpec: CommandSpec = {
  name: 'pins',
  about: 'List the definitions of tools, prompts and resources that were accepted, and those that were not yet',
  options: [gatewayOption],
  examples: [['toolwire pins', 'what is new or has changed, and is kept back']],
  load: async () => (await import('../pins/list.js')).run,
  commands: [
    {
      name: 'diff',
      about: 'Show what is new about a definition: of a tool, a prompt, a resource or a template',
      operands: [['<name>', 'as toolwire pins shows it']],
      options: [gatewayOption],
      examples: [['toolwire pins diff shop__order', 'each place that differs, with hidden characters made visible']],
      load: async () => (await import('../pins/diff.js')).run,
    },
    {
      name: 'accept',
      about: 'Accept a definition as it is now, or several',
      operands: [['[name]', 'as toolwire pins shows it']],
      options: [
        gatewayOption,
        { flags: '--hash <hash>', about: 'only if this is its hash, as it was read before' },
        { flags: '--identity <id>', about: 'only from this server, where the accepted one was another: as pins diff shows it' },
        { flags: '--server <name>', about: 'all that wait of this server' },
        { flags: '--all', about: 'all that wait' },
        yesOption,
      ],
      examples: [
        ['toolwire pins accept shop__order', 'shows it, and asks'],
        ['toolwire pins accept --server shop', 'shows a summary of what waits there, and asks'],
      ],
      load: async () => (await import('../pins/accept.js')).run,
    },
  ],
}

const keysOptions = [
  gatewayOption,
  { flags: '--config <file>', about: 'where no gateway runs: the mcp.json; else the usual places are searched' },
  { flags: '--data-dir <folder>', about: 'where no gateway runs: where keys are kept' },
]

export const keysSpec: CommandSpec = {
  name: 'keys',
  about: 'Make, list and revoke API keys of the gateway',
  more: 'Where no gateway runs, they are made and revoked in the data directory, for the next start.',
  commands: [
    {
      name: 'create',
      about: 'Make a key; it is shown this once',
      operands: [['[caller]', 'who calls with it, as rules and the audit log name them']],
      options: [
        ...keysOptions,
        {
          flags: '--scope <scope>',
          about: 'what it is good for; as often as needed; toolwire:admin for this program',
          many: true,
        },
        { flags: '--for <time>', about: 'how long it is good: 12h, 30d; for ever if not said' },
      ],
      examples: [['toolwire keys create nightly-report --scope orders:read --for 90d', 'prints the key on stdout']],
      load: async () => (await import('../keys/create.js')).run,
    },
    {
      name: 'list',
      about: 'List the keys, without what is secret of them',
      options: keysOptions,
      examples: [['toolwire keys list', 'who has one, and until when']],
      load: async () => (await import('../keys/list.js')).run,
    },
    {
      name: 'revoke',
      about: 'Refuse a key from now on',
      operands: [['<id>', 'of toolwire keys list']],
      options: keysOptions,
      examples: [['toolwire keys revoke 0123456789abcdef', 'at once']],
      load: async () => (await import('../keys/revoke.js')).run,
    },
  ],
}
