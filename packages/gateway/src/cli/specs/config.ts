import { type CommandSpec, command } from '../command.js'
import { configOption, dryRunOption } from './shared-options.js'
import { keyFolderOption, storeOptions } from './store.js'

const noteOption = ['--note <text>', 'reason, shown in the history'] as const

export const configCommands: readonly CommandSpec[] = [
  command('config', 'Keep the config of all replicas in their database', {
    more: 'Replicas that have no config file take the newest version, within two seconds and without a restart. These commands need the address of the database (TOOLWIRE_STORE) and the keys of the replicas (TOOLWIRE_VAULT_KEY, and to change something TOOLWIRE_AUDIT_KEY).',
    commands: [
      command('push', 'Check a config with its rules, and make it the newest version', {
        more: `The rules are those of the file that toolwire.policy names. Secrets must be references such as \${env:TOKEN}, and paths must be absolute.`,
        operands: [['[file]', 'an mcp.json (default: the usual places; a config found there must be accepted)']],
        options: [
          configOption,
          ['--base <version>', 'the version to replace, which must be the newest; newest means any'],
          noteOption,
          dryRunOption,
          keyFolderOption,
        ],
        examples: [
          ['toolwire config push mcp.json', 'the first version'],
          ['toolwire config push mcp.json --base 4 --note "search for everybody"', 'version 5, unless there is one already'],
        ],
        load: async () => (await import('../config/push.js')).run,
      }),
      command('history', 'List the versions, and where each is in force', {
        options: [...storeOptions, keyFolderOption],
        examples: [['toolwire config history', 'newest first']],
        load: async () => (await import('../config/history.js')).run,
      }),
      command('show', 'Print a version as it was pushed', {
        operands: [['[version]', 'version number (default: the newest)']],
        options: [...storeOptions, keyFolderOption, ['--policy', 'print the rules of the version instead']],
        examples: [['toolwire config show > mcp.json', 'to change it, and push it again']],
        load: async () => (await import('../config/show.js')).run,
      }),
      command('rollback', 'Make a new version with the content of an old one', {
        operands: [['[version]', 'version number (default: the version before the newest)']],
        options: [...storeOptions, noteOption, keyFolderOption],
        examples: [['toolwire config rollback', 'undoes the last push']],
        load: async () => (await import('../config/rollback.js')).run,
      }),
    ],
  }),
]
