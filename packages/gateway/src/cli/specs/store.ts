import { type CommandSpec, command, type OptionSpec } from '../command.js'

export const storeOptions: readonly OptionSpec[] = [
  ['--config <file>', 'the mcp.json that names the store (default: the usual places)'],
]

export const keyFolderOption: OptionSpec = [
  '--data-dir <folder>',
  'folder with the keys of the replicas, if the environment does not have the keys',
]

const copyOptions: readonly OptionSpec[] = [
  ['--to <url>', 'copy the data directory into this PostgreSQL, which must be empty; postgres means DATABASE_URL'],
  ['--from <url>', 'copy this PostgreSQL into the data directory, which must have no store'],
  ['--data-dir <folder>', 'the data directory, instead of that in the config'],
  ['--config <file>', 'the mcp.json that names the data directory (default: the usual places)'],
]

export const storeCommands: readonly CommandSpec[] = [
  command('store', 'Inspect and migrate the database that gateways share, and copy stores', {
    more: 'The database is the store of the config, or TOOLWIRE_STORE.',
    commands: [
      command('status', 'Show the version, tables, clock and gateways of the database', {
        options: [...storeOptions, keyFolderOption],
        examples: [['toolwire store status', 'exits with 1 if no gateway would start here with this database']],
        load: async () => (await import('../store/status.js')).run,
      }),
      command('migrate', 'Migrate the tables to the version of this program', {
        more: 'A gateway does the same when it starts. Gateways of the previous version keep running.',
        options: storeOptions,
        examples: [['toolwire store migrate', 'before a rolling update, for instance']],
        load: async () => (await import('../store/migrate.js')).run,
      }),
      command('copy', 'Copy the store of a data directory to PostgreSQL, or back', {
        more: 'Stop the gateways first. Both logs are verified, and an incomplete copy is discarded. Keys are not copied.',
        options: copyOptions,
        examples: [
          ['toolwire store copy --to postgres://toolwire@db/toolwire', 'before gateways share the database'],
          ['toolwire store copy --from postgres --data-dir ./alone', 'back, for one gateway; the address is in DATABASE_URL'],
        ],
        load: async () => (await import('../store/copy.js')).run,
      }),
    ],
  }),
  command('replicas', 'List the gateways that share the store', {
    options: storeOptions,
    examples: [['toolwire replicas --json', 'for scripts']],
    load: async () => (await import('../store/replicas.js')).run,
  }),
]
