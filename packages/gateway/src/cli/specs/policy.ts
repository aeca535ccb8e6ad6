import type { CommandSpec, OptionSpec } from '../command-spec.js'

const configOption: OptionSpec = {
  flags: '--config <file>',
  about: 'the mcp.json that says how servers and tools are called',
}

export const policySpec: CommandSpec = {
  name: 'policy',
  about: 'Try rules without calling anything',
  commands: [
    {
      name: 'test',
      about: 'Check a file of rules, and run the cases that stand in it',
      more: 'Servers and tools have the names that the config gives them: the one that is found, if these are its rules, or --config. With --gateway, the tools are those that its servers list now, and every name that fits none is told.',
      operands: [['<file>', 'YAML or JSON']],
      options: [
        configOption,
        { flags: '--gateway [url]', about: 'test with the tools of a gateway that runs, here or at this address' },
      ],
      examples: [
        ['toolwire policy test policy.yaml', 'mistakes with their lines, and the cases that do not hold'],
        ['toolwire policy test policy.yaml --gateway', 'and names that none of its tools has'],
      ],
      load: async () => (await import('../policy/test.js')).run,
    },
    {
      name: 'explain',
      about: 'Say what the rules make of a call, and why',
      operands: [
        ['<file>', 'YAML or JSON'],
        ['[arguments...]', 'name=value or name:=json'],
      ],
      options: [
        { flags: '--tool <name>', about: 'the tool that is called: by the name callers see, or with --server by its own' },
        { flags: '--server <id>', about: 'the server it is on' },
        configOption,
        { flags: '--caller <id>', about: 'who calls' },
        { flags: '--scope <scope>', about: 'what the caller may do; as often as needed', many: true },
        { flags: '--tag <tag>', about: 'a mark of the tool; as often as needed', many: true },
        { flags: '--received <label>', about: 'a label that the caller has received; as often as needed', many: true },
        { flags: '--read-only', about: 'the tool only reads' },
        { flags: '--input <json>', about: 'all arguments as JSON or @file' },
      ],
      examples: [['toolwire policy explain policy.yaml --tool deploy --caller ci env=prod', 'which rule decides']],
      load: async () => (await import('../policy/explain.js')).run,
    },
  ],
}
