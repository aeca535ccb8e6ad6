import type { CommandSpec } from '../spec.js'

export const policySpec: CommandSpec = {
  name: 'policy',
  about: 'Try rules without calling anything',
  commands: [
    {
      name: 'test',
      about: 'Check a file of rules, and run the cases that stand in it',
      operands: [['<file>', 'YAML or JSON']],
      examples: [['toolwire policy test policy.yaml', 'mistakes with their lines, and the cases that do not hold']],
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
        { flags: '--tool <name>', about: 'the tool that is called' },
        { flags: '--server <id>', about: 'the server it is on' },
        { flags: '--caller <id>', about: 'who calls' },
        { flags: '--scope <scope>', about: 'what the caller may do; as often as needed', many: true },
        { flags: '--tag <tag>', about: 'a mark of the tool; as often as needed', many: true },
        { flags: '--read-only', about: 'the tool only reads' },
        { flags: '--input <json>', about: 'all arguments as JSON or @file' },
      ],
      examples: [['toolwire policy explain policy.yaml --tool deploy --caller ci env=prod', 'which rule decides']],
      load: async () => (await import('../policy/explain.js')).run,
    },
  ],
}
