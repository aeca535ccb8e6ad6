import { type CommandSpec, command, type OptionSpec } from '../command.js'

export const storeOptions: readonly OptionSpec[] = [
  ['--config <file>', 'the mcp.json that names the store (default: the usual places)'],
]

export const storeCommands: readonly CommandSpec[] = [
  command('store', 'Look at the database that gateways share, and migrate it', {
    more: 'The database is the store of the config, or TOOLWIRE_STORE.',
    commands: [
      command('status', 'Show its version, tables, clock and gateways', {
        options: storeOptions,
        examples: [['toolwire store status', 'ends with 1 if no gateway would start with it']],
        load: async () => (await import('../store/status.js')).run,
      }),
      command('migrate', 'Bring its tables to the version of this program', {
        more: 'A gateway does the same when it starts. Gateways of the version before go on beside it.',
        options: storeOptions,
        examples: [['toolwire store migrate', 'before a rolling update, for instance']],
        load: async () => (await import('../store/migrate.js')).run,
      }),
    ],
  }),
  command('replicas', 'List the gateways that share the store', {
    options: storeOptions,
    examples: [['toolwire replicas --json', 'for scripts']],
    load: async () => (await import('../store/replicas.js')).run,
  }),
]
