import type { CommandSpec } from '../command-spec.js'
import { gatewayOption } from './shared-options.js'

export const pendingSpec: CommandSpec = {
  name: 'pending',
  about: 'List the calls that wait for a decision',
  options: [gatewayOption],
  examples: [['toolwire pending', 'who wants to call what, with which arguments, and for how long they wait']],
  load: async () => (await import('../approvals/pending.js')).run,
}

export const approveSpec: CommandSpec = {
  name: 'approve',
  about: 'Let a waiting call through',
  operands: [['<id>', 'of toolwire pending, or its beginning']],
  options: [
    gatewayOption,
    { flags: '--always', about: 'allow calls like it for a while: same caller, same tool, same definition' },
    { flags: '--for <time>', about: 'for how long: 30m, 1h, at most 8h; 1h if not said' },
    { flags: '--arguments <schema>', about: 'only with arguments that this JSON Schema (or @file) accepts' },
  ],
  examples: [
    ['toolwire approve 4f1c', 'this call, once'],
    [
      `toolwire approve 4f1c --always --for 2h --arguments '{"properties":{"env":{"const":"dev"}}}'`,
      'and those like it until then',
    ],
  ],
  load: async () => (await import('../approvals/approve.js')).run,
}

export const denySpec: CommandSpec = {
  name: 'deny',
  about: 'Refuse a waiting call',
  operands: [
    ['<id>', 'of toolwire pending, or its beginning'],
    ['[reason...]', 'told to the caller'],
  ],
  options: [gatewayOption],
  examples: [['toolwire deny 4f1c not on a Friday', 'the caller reads why']],
  load: async () => (await import('../approvals/deny.js')).run,
}

export const watchSpec: CommandSpec = {
  name: 'watch',
  about: 'Decide calls as they come',
  more: 'Each waiting call is shown whole. Only a typed yes lets it through; Enter alone leaves it waiting.',
  options: [gatewayOption],
  examples: [
    ['toolwire watch', 'in a terminal of its own, beside the gateway'],
    ['toolwire watch --json', 'every event as a line of JSON; decides nothing'],
  ],
  load: async () => (await import('../approvals/watch.js')).run,
}
