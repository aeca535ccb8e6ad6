import type { CommandSpec } from '../command-spec.js'
import { configOption, dryRunOption, gatewayOption, yesOption } from './shared-options.js'

export const importSpec: CommandSpec = {
  name: 'import',
  about: 'Copy the servers of other programs into an mcp.json',
  more: 'Reads the configs of Claude Desktop, Claude Code, Cursor, VS Code, Codex, Gemini CLI and Windsurf. Existing entries stay, and a backup of the file is kept.',
  operands: [['[hosts...]', 'only these hosts: claude-desktop, claude-code, cursor, vscode, codex, gemini, windsurf']],
  options: [
    { flags: '--config <file>', about: 'file to write (default mcp.json)' },
    dryRunOption,
    yesOption,
    { flags: '--trust', about: 'the same as --yes' },
  ],
  examples: [
    ['toolwire import --dry-run', 'show the result without writing it'],
    ['toolwire import cursor vscode', 'only these hosts'],
  ],
  load: async () => (await import('../hosts/import.js')).run,
}

export const connectSpec: CommandSpec = {
  name: 'connect',
  about: "Add the gateway to a host's config, and move the host's servers behind it",
  more: `The host gets a command with absolute paths, which works from any folder. It joins the gateway that runs with the config, or starts it.
For a gateway on another machine, the host gets its address. The rest of the file stays unchanged, comments included, and a backup
is kept.`,
  operands: [['<host>', 'claude-desktop, claude-code, cursor, vscode, codex, gemini or windsurf']],
  options: [
    { flags: '--move', about: "move the host's servers to the gateway without asking" },
    { flags: '--keep', about: "keep the host's servers in place without asking" },
    { flags: '--config <file>', about: 'config of the gateway (default: that of the running gateway, else the usual places)' },
    gatewayOption,
    { flags: '--http', about: 'write an address, if the host can use one; the gateway must be running' },
    { flags: '--stdio', about: 'write a command, even if only an address is known' },
    { flags: '--project', about: 'write to the file of this project' },
    { flags: '--set <name>', about: 'expose only this set of tools' },
    { flags: '--name <name>', about: 'name that the host shows (default toolwire)' },
    dryRunOption,
  ],
  examples: [
    ['toolwire connect cursor --dry-run', 'show the change as a diff'],
    ['toolwire connect claude-desktop --move', 'also move the servers that it starts itself'],
    ['toolwire connect vscode --gateway https://gateway.example', 'a gateway on another machine'],
  ],
  load: async () => (await import('../hosts/connect.js')).run,
}

export const bridgeSpec: CommandSpec = {
  name: 'bridge',
  about: 'Connect a host over stdin and stdout to a gateway at an address',
  more: "For hosts that can only start commands. toolwire connect adds it where needed. It reads the gateway's key from TOOLWIRE_API_KEY.",
  options: [gatewayOption, { flags: '--set <name>', about: 'expose only this set of tools' }],
  examples: [['toolwire bridge --gateway https://gateway.example', 'runs until the host closes stdin']],
  load: async () => (await import('../hosts/bridge.js')).run,
}

export const doctorSpec: CommandSpec = {
  name: 'doctor',
  about: 'Find problems of the setup on this machine',
  operands: [['[config]', 'an mcp.json (default: the usual places)']],
  options: [
    configOption,
    gatewayOption,
    { flags: '--url <url>', about: 'the same as --gateway' },
    { flags: '--port <number>', about: 'port of the gateway on this machine, instead of that in the config' },
    { flags: '--data-dir <folder>', about: 'data directory of the gateway, instead of that in the config' },
    { flags: '--offline', about: 'do not contact any server' },
  ],
  examples: [
    ['toolwire doctor', 'config, commands, servers, port, data, clock, gateway'],
    ['toolwire doctor --config ~/work/mcp.json --port 8080', 'check a gateway that was started with these options'],
  ],
  load: async () => (await import('../doctor/doctor.js')).run,
}

export const completionSpec: CommandSpec = {
  name: 'completion',
  about: 'Print the completion script for a shell',
  operands: [
    ['<shell>', 'bash, zsh or fish'],
    ['[words...]', 'typed so far; used by the scripts'],
  ],
  examples: [
    ['source <(toolwire completion bash)', 'for this shell; add it to ~/.bashrc for every shell'],
    ['toolwire completion fish > ~/.config/fish/completions/toolwire.fish', 'for fish'],
  ],
  load: async () => (await import('../completion/completion.js')).run,
}

export const checkSpec: CommandSpec = {
  name: 'check',
  about: 'Check a server against the specification',
  operands: [['<target...>', 'https://…/mcp of a server, or a command after --']],
  options: [
    { flags: '--revision <version>', about: 'check only this revision' },
    { flags: '--only <id>', about: 'run only checks whose id starts with this' },
    { flags: '--tool <name=args>', about: 'call this tool with these arguments, as JSON' },
    { flags: '--slow <name=args>', about: 'a slow tool to call, for checks of cancellation' },
    { flags: '--header <name: value>', about: 'send this header with every request' },
    { flags: '--allow-calls', about: 'call every tool, even one that may change something' },
    { flags: '--flood <calls>', about: 'send this many calls at once' },
    { flags: '--timeout <ms>', about: 'timeout of one response' },
    { flags: '--total <ms>', about: 'timeout of the whole run' },
    { flags: '--format <format>', about: 'human, json, sarif or junit' },
    { flags: '--out <file>', about: 'write the report to this file' },
  ],
  examples: [['toolwire check https://mcp.example/mcp', 'reports each check as enforced, missing or not tried']],
  load: async () => (await import('../check.js')).run,
}
