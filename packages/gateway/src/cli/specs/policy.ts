import type { CommandSpec, OptionSpec } from '../command-spec.js'

const configOption: OptionSpec = {
  flags: '--config <file>',
  about: 'the mcp.json with the names of servers and tools',
}

export const policySpec: CommandSpec = {
  name: 'policy',
  about: 'Test rules without calling a tool',
  commands: [
    {
      name: 'test',
      about: 'Validate a rules file, and run its test cases',
      more: 'Names of servers and tools come from --config, or from the config found here if it uses these rules. With --gateway, the tools come from a running gateway, and names that match no tool are reported.',
      operands: [['<file>', 'YAML or JSON']],
      options: [
        configOption,
        { flags: '--gateway [url]', about: 'use the tools of a running gateway, on this machine or at this address' },
      ],
      examples: [
        ['toolwire policy test policy.yaml', 'errors with line numbers, and failed cases'],
        ['toolwire policy test policy.yaml --gateway', 'also names that match no tool'],
      ],
      load: async () => (await import('../policy/test.js')).run,
    },
    {
      name: 'explain',
      about: 'Explain what the rules decide for a call',
      operands: [
        ['<file>', 'YAML or JSON'],
        ['[arguments...]', 'name=value or name:=json'],
      ],
      options: [
        { flags: '--tool <name>', about: 'the tool: the name that callers see, or with --server its own name' },
        { flags: '--server <id>', about: 'the server of the tool' },
        configOption,
        { flags: '--caller <id>', about: 'the caller' },
        { flags: '--scope <scope>', about: 'a scope of the caller; repeatable', many: true },
        { flags: '--tag <tag>', about: 'a tag of the tool; repeatable', many: true },
        { flags: '--received <label>', about: 'a label that the caller has received; repeatable', many: true },
        { flags: '--read-only', about: 'treat the tool as read-only' },
        { flags: '--input <json>', about: 'all arguments as JSON or @file' },
      ],
      examples: [['toolwire policy explain policy.yaml --tool deploy --caller ci env=prod', 'names the rule that decides']],
      load: async () => (await import('../policy/explain.js')).run,
    },
  ],
}
