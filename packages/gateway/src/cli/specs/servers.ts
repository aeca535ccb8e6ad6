// biome-ignore-all lint/suspicious/noTemplateCurlyInString: what is in quotes here is what people type
import { type CommandSpec, command, type OptionSpec } from '../command.js'
import { configOption, dryRunOption, trustOption, yesOption } from './shared-options.js'

const editedConfigOption: OptionSpec = [
  '--config <file>',
  'the config (default: the one found here, else ~/.config/toolwire/mcp.json)',
]
const kept =
  'The rest of the file stays unchanged, comments included. The change is validated before it is written, and a backup of the file is kept.'

export const serversCommands: readonly CommandSpec[] = [
  command('add', "Add a server to the gateway's config", {
    more: `A server is a command after --, or an address. ${kept}`,
    operands: [
      ['<name>', 'name of the server, and prefix of its tools'],
      ['[url]', 'https://… of a remote server'],
    ],
    options: [
      ['--env <variable>', "NAME=value, or NAME to pass on the gateway's own; repeatable", 'many'],
      ['--header <line>', 'a header to send, as "Name: value"; repeatable', 'many'],
      ['--sse', 'the address is a 2024-style server (HTTP with server-sent events)'],
      ['--replace', 'replace the server with this name'],
      editedConfigOption,
      trustOption,
      dryRunOption,
    ],
    examples: [
      ['toolwire add files -- npx -y @modelcontextprotocol/server-filesystem .', 'a program that the gateway starts'],
      [
        'toolwire add github --env GITHUB_TOKEN -- npx -y server-github',
        'with a variable whose value is not written to the file',
      ],
      ["toolwire add shop https://shop.example/mcp --header 'Authorization: Bearer ${SHOP_TOKEN}'", 'a server at an address'],
    ],
    load: async () => (await import('../servers/add.js')).run,
  }),
  command('remove', "Remove a server and its settings from the gateway's config", {
    more: kept,
    operands: [['<name>', 'name of the server, from the config or toolwire status']],
    options: [editedConfigOption, trustOption, dryRunOption],
    examples: [['toolwire remove files --dry-run', 'show the change as a diff']],
    load: async () => (await import('../servers/remove.js')).run,
  }),
  command('set', 'Change a setting of the gateway in its config', {
    more: `The value is JSON, or text if it is not valid JSON. Paths are relative to the current folder. ${kept}`,
    operands: [
      ['<setting>', 'a setting under "toolwire" in the config: port, guard.rate.calls, servers.shop.trusted'],
      ['[value]', 'new value'],
    ],
    options: [['--unset', 'remove the setting'], editedConfigOption, trustOption, dryRunOption],
    examples: [
      ['toolwire set guard.rate.calls 120', 'a number'],
      ['toolwire set servers.files.only \'["read_*"]\'', 'JSON'],
      ['toolwire set policy rules.yaml', 'a file of rules in the current folder, which are checked first'],
      ['toolwire set policy --unset', 'restores the default'],
    ],
    load: async () => (await import('../servers/set.js')).run,
  }),
  command('trust', 'Review and accept a config that was found in a working folder', {
    more: `Each server and the settings of a found config need acceptance once, and again after a change. This command shows the waiting parts,
with their commands, addresses and variables. It asks in a terminal, and accepts without asking elsewhere.`,
    operands: [['[file]', 'an mcp.json (default: the one that the gateway would find here)']],
    options: [
      configOption,
      trustOption,
      ['--forget', 'withdraw the acceptance of everything in the file'],
      dryRunOption,
      yesOption,
    ],
    examples: [
      ['toolwire trust', "shows the waiting parts of this folder's config and asks"],
      ['toolwire trust --dry-run', 'shows them, and accepts nothing'],
      ['toolwire trust ~/work/shop/.mcp.json --forget', 'withdraws the acceptance'],
    ],
    load: async () => (await import('../trust/trust.js')).run,
  }),
]
