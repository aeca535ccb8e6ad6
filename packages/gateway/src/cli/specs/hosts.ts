import { type CommandSpec, command } from '../command.js'
import { configOption, dryRunOption, gatewayOption, trustOption, yesOption } from './shared-options.js'

export const hostsCommands: readonly CommandSpec[] = [
  command('import', 'Copy the servers of other programs into an mcp.json', {
    more: 'Reads the configs of Claude Desktop, Claude Code, Cursor, VS Code, Codex, Gemini CLI and Windsurf. Existing entries stay, and a backup of the file is kept.',
    operands: [['[hosts...]', 'only these hosts: claude-desktop, claude-code, cursor, vscode, codex, gemini, windsurf']],
    options: [
      ['--config <file>', 'file to write (default mcp.json)'],
      trustOption,
      dryRunOption,
      yesOption,
      ['--trust', 'the same as --yes'],
    ],
    examples: [
      ['toolwire import --dry-run', 'show the result without writing it'],
      ['toolwire import cursor vscode', 'only these hosts'],
    ],
    load: async () => (await import('../hosts/import.js')).run,
  }),
  command('connect', "Add the gateway to a host's config, and move the host's servers behind it", {
    more: `The host gets a command with absolute paths, which works from any folder. It joins the gateway that runs with the config, or starts it.
For a gateway on another machine, the host gets its address. The rest of the file stays unchanged, comments included, and a backup
is kept.`,
    operands: [['<host>', 'claude-desktop, claude-code, cursor, vscode, codex, gemini or windsurf']],
    options: [
      ['--move', "move the host's servers to the gateway without asking"],
      ['--keep', "keep the host's servers in place without asking"],
      ['--config <file>', 'config of the gateway (default: that of the running gateway, else the usual places)'],
      gatewayOption,
      ['--http', 'write an address, if the host can use one; the gateway must be running'],
      ['--stdio', 'write a command, even if only an address is known'],
      ['--project', 'write to the file of this project'],
      ['--set <name>', 'expose only this set of tools'],
      ['--name <name>', 'name that the host shows (default toolwire)'],
      trustOption,
      dryRunOption,
    ],
    examples: [
      ['toolwire connect cursor --dry-run', 'show the change as a diff'],
      ['toolwire connect claude-desktop --move', 'also move the servers that it starts itself'],
      ['toolwire connect vscode --gateway https://gateway.example', 'a gateway on another machine'],
    ],
    load: async () => (await import('../hosts/connect.js')).run,
  }),
  command('bridge', 'Connect a host over stdin and stdout to a gateway at an address', {
    more: "For hosts that can only start commands. toolwire connect adds it where needed. It reads the gateway's key from TOOLWIRE_API_KEY.",
    options: [gatewayOption, ['--set <name>', 'expose only this set of tools']],
    examples: [['toolwire bridge --gateway https://gateway.example', 'runs until the host closes stdin']],
    load: async () => (await import('../hosts/bridge.js')).run,
  }),
  command('doctor', 'Find problems of the setup on this machine', {
    operands: [['[config]', 'an mcp.json (default: the usual places)']],
    options: [
      configOption,
      gatewayOption,
      ['--url <url>', 'the same as --gateway'],
      ['--port <number>', 'port of the gateway on this machine, instead of that in the config'],
      ['--data-dir <folder>', 'data directory of the gateway, instead of that in the config'],
      ['--offline', 'do not contact any server'],
    ],
    examples: [
      ['toolwire doctor', 'config, commands, servers, port, data, clock, gateway'],
      ['toolwire doctor --config ~/work/mcp.json --port 8080', 'check a gateway that was started with these options'],
    ],
    load: async () => (await import('../doctor/doctor.js')).run,
  }),
  command('check', 'Check a server against the specification', {
    operands: [['<target...>', 'https://…/mcp of a server, or a command after --']],
    options: [
      ['--revision <version>', 'check only this revision'],
      ['--only <id>', 'run only checks whose id starts with this'],
      ['--tool <name=args>', 'call this tool with these arguments, as JSON'],
      ['--slow <name=args>', 'a slow tool to call, for checks of cancellation'],
      ['--header <name: value>', 'send this header with every request'],
      ['--allow-calls', 'call every tool, even one that may change something'],
      ['--flood <calls>', 'send this many calls at once'],
      ['--timeout <ms>', 'timeout of one response'],
      ['--total <ms>', 'timeout of the whole run'],
      ['--format <format>', 'human, json, sarif or junit'],
      ['--out <file>', 'write the report to this file'],
    ],
    examples: [['toolwire check https://mcp.example/mcp', 'reports each check as enforced, missing or not tried']],
    load: async () => (await import('../check.js')).run,
  }),
  command('completion', 'Print the completion script for a shell', {
    operands: [
      ['<shell>', 'bash, zsh or fish'],
      ['[words...]', 'typed so far; used by the scripts'],
    ],
    examples: [
      ['source <(toolwire completion bash)', 'for this shell; add it to ~/.bashrc for every shell'],
      ['toolwire completion fish > ~/.config/fish/completions/toolwire.fish', 'for fish'],
    ],
    load: async () => (await import('../completion/completion.js')).run,
  }),
]
