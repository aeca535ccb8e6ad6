import { type CommandSpec, command } from '../command.js'
import { gatewayOption } from './shared-options.js'

export const approvalsCommands: readonly CommandSpec[] = [
  command('status', 'Show the state of the gateway and its servers', {
    options: [gatewayOption],
    examples: [['toolwire status', 'shows which servers are ready, and why others are not']],
    load: async () => (await import('../status.js')).run,
  }),
  command('pending', 'List pending calls', {
    options: [gatewayOption],
    examples: [['toolwire pending', 'the caller, the tool, the arguments and the waiting time of each']],
    load: async () => (await import('../approvals/pending.js')).run,
  }),
  command('approve', 'Approve a pending call', {
    operands: [['<id>', 'id from toolwire pending, or the start of it']],
    options: [
      gatewayOption,
      ['--always', 'also approve later calls of the same caller to the same tool'],
      ['--for <time>', 'duration of --always: 30m, 1h, at most 8h (default 1h)'],
      ['--arguments <schema>', 'only with arguments that this JSON Schema (or @file) accepts'],
    ],
    examples: [
      ['toolwire approve 4f1c', 'this call, once'],
      [
        `toolwire approve 4f1c --always --for 2h --arguments '{"properties":{"env":{"const":"dev"}}}'`,
        'this call, and matching ones for two hours',
      ],
    ],
    load: async () => (await import('../approvals/approve.js')).run,
  }),
  command('deny', 'Deny a pending call', {
    operands: [
      ['<id>', 'id from toolwire pending, or the start of it'],
      ['[reason...]', 'shown to the caller'],
    ],
    options: [gatewayOption],
    examples: [['toolwire deny 4f1c not on a Friday', 'the caller gets the reason']],
    load: async () => (await import('../approvals/deny.js')).run,
  }),
  command('watch', 'Approve or deny calls as they arrive', {
    more: 'Each pending call is shown in full. Only a typed yes approves it. Enter alone leaves it pending.',
    options: [gatewayOption],
    examples: [
      ['toolwire watch', 'in a second terminal, next to the gateway'],
      ['toolwire watch --json', 'every event as a line of JSON; decides nothing'],
    ],
    load: async () => (await import('../approvals/watch.js')).run,
  }),
]
