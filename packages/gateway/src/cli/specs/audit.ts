import type { CommandSpec } from '../command-spec.js'
import { gatewayOption } from './shared-options.js'

export const auditSpec: CommandSpec = {
  name: 'audit',
  about: 'Search, follow, verify and export the record of all calls',
  operands: [['[search]', 'words to look for']],
  options: [
    gatewayOption,
    { flags: '-f, --follow', about: 'go on with what is added' },
    { flags: '--tool <name>', about: 'calls to this tool' },
    { flags: '--server <id>', about: 'calls to this server' },
    { flags: '--caller <id>', about: 'calls of this caller' },
    { flags: '--outcome <word>', about: 'ok, error, asked, refused, cancelled, failed or open' },
    { flags: '--from <time>', about: 'since then: 2026-01-31, 2026-01-31T12:00, or 2h, 7d ago' },
    { flags: '--to <time>', about: 'until then' },
    { flags: '--limit <number>', about: 'so many calls; 50 if not said' },
  ],
  examples: [
    ['toolwire audit --tool shop__order --from 2h', 'orders of the last two hours'],
    ['toolwire audit mug --outcome refused', 'what was refused about mugs'],
    ['toolwire audit --follow', 'what happens, as it happens'],
  ],
  load: async () => (await import('../audit/search.js')).run,
  commands: [
    {
      name: 'verify',
      about: 'Check that no record was changed, dropped or added',
      more: 'With --file the log need not be of this gateway, and no gateway need run. Says the first record that is not as it must be.',
      options: [
        gatewayOption,
        { flags: '--file <path>', about: 'a log as NDJSON, from toolwire audit export; - for stdin' },
        { flags: '--head <sequence:hash>', about: 'a record that must be in it, as it was kept elsewhere' },
        { flags: '--witness <file|url>', about: 'signed heads that must all be on it: from toolwire audit witness' },
      ],
      examples: [
        ['toolwire audit verify', 'the log of the gateway'],
        ['toolwire audit verify --file audit.ndjson', 'a file, offline'],
        ['toolwire audit verify --witness /mnt/other/heads', 'that it is the log that was witnessed, to its end'],
      ],
      load: async () => (await import('../audit/verify.js')).run,
    },
    {
      name: 'witness',
      about: 'Keep the signed end of the log elsewhere, to verify the log against it',
      more: 'Adds a line to a file, or posts it to an address. Choose a place that is out of reach for anyone who can change the log. The gateway does this by itself if toolwire.witness is set.',
      operands: [['<to>', 'a file, or an https:// address']],
      options: [gatewayOption, { flags: '--every <time>', about: 'again and again, such as 60s; once if not said' }],
      examples: [
        ['toolwire audit witness /mnt/other/heads', 'once'],
        ['toolwire audit witness https://witness.example/heads --every 60s', 'until Ctrl-C'],
      ],
      load: async () => (await import('../audit/witness.js')).run,
    },
    {
      name: 'export',
      about: 'Print the whole log',
      options: [
        gatewayOption,
        { flags: '--format <format>', about: 'ndjson, which can be verified, or csv; ndjson if not said' },
      ],
      examples: [['toolwire audit export --format ndjson > audit.ndjson', 'to keep elsewhere']],
      load: async () => (await import('../audit/export.js')).run,
    },
  ],
}
