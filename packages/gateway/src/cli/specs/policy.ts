import { type CommandSpec, command, type OptionSpec } from '../command.js'
import { trustOption } from './shared-options.js'

const gatewayToolsOption: OptionSpec = [
  '--gateway [url]',
  'use the tools of a running gateway, on this machine or at this address',
]
const configOption: OptionSpec = ['--config <file>', 'the mcp.json with the names of servers and tools']

export const policyCommands: readonly CommandSpec[] = [
  command('policy', 'Test rules without calling a tool', {
    commands: [
      command('test', 'Validate a rules file, and run its test cases', {
        more: 'Names of servers and tools come from --config, or from the config found here if it uses these rules. With --gateway, the tools come from a running gateway, and names that match no tool are reported.',
        operands: [['<file>', 'YAML or JSON']],
        options: [configOption, trustOption, gatewayToolsOption],
        examples: [
          ['toolwire policy test policy.yaml', 'errors with line numbers, and failed cases'],
          ['toolwire policy test policy.yaml --gateway', 'also names that match no tool'],
        ],
        load: async () => (await import('../policy/test.js')).run,
      }),
      command('explain', 'Explain what the rules decide for a call', {
        more: 'Without --gateway, the hints of a tool are unknown, and the answer says what was assumed.',
        operands: [
          ['<file>', 'YAML or JSON'],
          ['[arguments...]', 'name=value or name:=json'],
        ],
        options: [
          ['--tool <name>', 'the tool: the name that callers see, or with --server its own name'],
          ['--server <id>', 'the server of the tool'],
          gatewayToolsOption,
          configOption,
          trustOption,
          ['--caller <id>', 'the caller'],
          ['--scope <scope>', 'a scope of the caller; repeatable', 'many'],
          ['--tag <tag>', 'a tag of the tool; repeatable', 'many'],
          ['--received <label>', 'a label that the caller has received; repeatable', 'many'],
          ['--read-only', 'treat the tool as read-only'],
          ['--input <json>', 'all arguments as JSON or @file'],
        ],
        examples: [
          ['toolwire policy explain policy.yaml --tool deploy --caller ci env=prod', 'names the rule that decides'],
          ['toolwire policy explain policy.yaml --tool files__read_file --gateway', 'by what the gateway knows of the tool'],
        ],
        load: async () => (await import('../policy/explain.js')).run,
      }),
    ],
  }),
]
