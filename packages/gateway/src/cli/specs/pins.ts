import { type CommandSpec, command } from '../command.js'
import { gatewayOption, yesOption } from './shared-options.js'

export const pinsCommands: readonly CommandSpec[] = [
  command('pins', 'List accepted and waiting definitions of tools, prompts and resources', {
    options: [gatewayOption],
    examples: [['toolwire pins', 'shows new and changed definitions that are withheld']],
    load: async () => (await import('../pins/list.js')).run,
    commands: [
      command('diff', 'Show the changes of a tool, prompt, resource or template', {
        operands: [['<name>', 'name from toolwire pins']],
        options: [gatewayOption],
        examples: [['toolwire pins diff shop__order', 'shows each difference, with hidden characters made visible']],
        load: async () => (await import('../pins/diff.js')).run,
      }),
      command('accept', 'Accept the current definition of a tool, or of several', {
        operands: [['[name]', 'name from toolwire pins']],
        options: [
          gatewayOption,
          ['--hash <hash>', 'accept only if the hash is still this one'],
          ['--identity <id>', 'accept only from this server; pins diff shows its id'],
          ['--server <name>', 'accept every waiting definition of this server'],
          ['--all', 'accept every waiting definition'],
          yesOption,
        ],
        examples: [
          ['toolwire pins accept shop__order', 'shows the definition and asks'],
          ['toolwire pins accept --server shop', 'shows a summary and asks'],
        ],
        load: async () => (await import('../pins/accept.js')).run,
      }),
    ],
  }),
]
