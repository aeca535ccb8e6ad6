import { type CommandSpec, command } from '../command.js'
import { gatewayOption } from './shared-options.js'

export const auditCommands: readonly CommandSpec[] = [
  command('audit', 'Search, follow, verify and export the audit log', {
    more: `Outcomes of calls:
  ok         the tool gave a result
  error      the tool gave a result that says that it failed
  failed     the call was made and ended without a result, such as when its server was lost
  refused    the call was not made: a rule, a person or a limit refused it
  asked      the caller was asked a question first, and calls again with the answer
  cancelled  the caller gave up
  open       the call is running, or its end is unknown`,
    operands: [['[search]', 'words to look for']],
    options: [
      gatewayOption,
      ['-f, --follow', 'keep printing new records'],
      ['--tool <name>', 'calls to this tool'],
      ['--server <id>', 'calls to this server'],
      ['--caller <id>', 'calls of this caller'],
      ['--outcome <word>', 'ok, error, asked, refused, cancelled, failed or open'],
      ['--from <time>', 'calls since this time: 2026-01-31, 2026-01-31T12:00, or 2h, 7d ago'],
      ['--to <time>', 'calls until this time'],
      ['--limit <number>', 'at most this many calls (default 50)'],
    ],
    examples: [
      ['toolwire audit --tool shop__order --from 2h', 'orders in the last two hours'],
      ['toolwire audit mug --outcome refused', 'refused calls that mention mugs'],
      ['toolwire audit --follow', 'new records as they arrive'],
    ],
    load: async () => (await import('../audit/search.js')).run,
    commands: [
      command('verify', 'Check the audit log for changed, removed or added records', {
        more: 'Names the first invalid record. With --file it checks the log of any gateway, and needs no running gateway.',
        options: [
          gatewayOption,
          ['--file <path>', 'an NDJSON log from toolwire audit export; - for stdin'],
          ['--head <sequence:hash>', 'a record that the log must contain, noted elsewhere earlier'],
          ['--data-dir <folder>', 'if no gateway runs: the data directory with the log'],
          ['--witness <file|url>', 'signed heads from toolwire audit witness; the log must contain all of them'],
        ],
        examples: [
          ['toolwire audit verify', 'the log of the gateway'],
          ['toolwire audit verify --file audit.ndjson', 'a file, offline'],
          ['toolwire audit verify --witness /mnt/other/heads', 'also checks that the log contains every signed head'],
        ],
        load: async () => (await import('../audit/verify.js')).run,
      }),
      command('witness', 'Copy the signed head of the log to another place, for later verification', {
        more: 'Adds a line to a file, or posts it to an address. Choose a place that is out of reach for anyone who can change the log. The gateway does this by itself if toolwire.witness is set.',
        operands: [['<to>', 'a file, or an https:// address']],
        options: [gatewayOption, ['--every <time>', 'repeat at this interval, such as 60s (default: once)']],
        examples: [
          ['toolwire audit witness /mnt/other/heads', 'once'],
          ['toolwire audit witness https://witness.example/heads --every 60s', 'until Ctrl-C'],
        ],
        load: async () => (await import('../audit/witness.js')).run,
      }),
      command('export', 'Print the whole log', {
        options: [gatewayOption, ['--format <format>', 'ndjson, which can be verified, or csv (default ndjson)']],
        examples: [['toolwire audit export --format ndjson > audit.ndjson', 'to keep elsewhere']],
        load: async () => (await import('../audit/export.js')).run,
      }),
    ],
  }),
]
