import type { CommandSpec } from '../command-spec.js'
import { configOption, dryRunOption, gatewayOption, yesOption } from './shared-options.js'

export const importSpec: CommandSpec = {
  name: 'import',
  about: 'Copy the servers of other programs into an mcp.json',
  more: 'Looks where Claude Desktop, Claude Code, Cursor, VS Code, Codex, Gemini CLI and Windsurf keep theirs. What is there already stays; a changed file is kept beside it.',
  operands: [['[hosts...]', 'only of these: claude-desktop, claude-code, cursor, vscode, codex, gemini, windsurf']],
  options: [
    { flags: '--config <file>', about: 'where to; mcp.json if not said' },
    dryRunOption,
    yesOption,
    { flags: '--trust', about: 'the same as --yes' },
  ],
  examples: [
    ['toolwire import --dry-run', 'what would be written'],
    ['toolwire import cursor vscode', 'only of these'],
  ],
  load: async () => (await import('../hosts/import.js')).run,
}

export const connectSpec: CommandSpec = {
  name: 'connect',
  about: 'Write the gateway into the config of a host, and move its servers behind it',
  more: `The host gets a command with absolute paths, which works from any folder. It joins the gateway that runs with the config, and is that gateway
while none runs. For a gateway on another machine, the host gets its address. Everything else in the file stays as it is, comments included, and the old
file is kept beside it.`,
  operands: [['<host>', 'claude-desktop, claude-code, cursor, vscode, codex, gemini or windsurf']],
  options: [
    { flags: '--move', about: 'move the servers that the host starts itself into the config of the gateway, without asking' },
    { flags: '--keep', about: 'leave them where they are, without asking' },
    { flags: '--config <file>', about: 'the config of the gateway; else that of the gateway which runs, else the usual places' },
    gatewayOption,
    { flags: '--http', about: 'as an address, where the host can use one; the gateway has to be running' },
    { flags: '--stdio', about: 'as a command even where only an address is known' },
    { flags: '--project', about: 'into the file of this project' },
    { flags: '--set <name>', about: 'only the tools of this set' },
    { flags: '--name <name>', about: 'the name that the host shows; toolwire if not said' },
    dryRunOption,
  ],
  examples: [
    ['toolwire connect cursor --dry-run', 'the change, as a diff'],
    ['toolwire connect claude-desktop --move', 'and everything that it has started itself goes through the gateway'],
    ['toolwire connect vscode --gateway https://gateway.example', 'a gateway on another machine'],
  ],
  load: async () => (await import('../hosts/connect.js')).run,
}

export const bridgeSpec: CommandSpec = {
  name: 'bridge',
  about: 'Serve a host over stdin and stdout from a gateway that runs elsewhere',
  more: 'For hosts that can only start commands; toolwire connect writes it where it is needed. The key of the gateway is in TOOLWIRE_API_KEY.',
  options: [gatewayOption, { flags: '--set <name>', about: 'only the tools of this set' }],
  examples: [['toolwire bridge --gateway https://gateway.example', 'until the host closes stdin']],
  load: async () => (await import('../hosts/bridge.js')).run,
}

export const doctorSpec: CommandSpec = {
  name: 'doctor',
  about: 'Find problems of the setup on this machine',
  operands: [['[config]', 'an mcp.json; else the usual places are searched']],
  options: [
    configOption,
    gatewayOption,
    { flags: '--url <url>', about: 'the same as --gateway' },
    { flags: '--port <number>', about: 'the gateway of this machine at this port, and no other than the config says' },
    { flags: '--data-dir <folder>', about: 'where the gateway keeps its data, and no other than the config says' },
    { flags: '--offline', about: 'do not start or ask any server' },
  ],
  examples: [
    ['toolwire doctor', 'config, commands, servers, port, data, clock, gateway'],
    ['toolwire doctor --config ~/work/mcp.json --port 8080', 'the gateway that was started with these'],
  ],
  load: async () => (await import('../doctor/doctor.js')).run,
}

export const completionSpec: CommandSpec = {
  name: 'completion',
  about: 'Print the completion script for a shell',
  operands: [
    ['<shell>', 'bash, zsh or fish'],
    ['[words...]', 'what has been typed, for the scripts themselves'],
  ],
  examples: [
    ['source <(toolwire completion bash)', 'for this shell; put it into ~/.bashrc for all'],
    ['toolwire completion fish > ~/.config/fish/completions/toolwire.fish', 'for fish'],
  ],
  load: async () => (await import('../completion/completion.js')).run,
}

export const checkSpec: CommandSpec = {
  name: 'check',
  about: 'Try what the specification demands of a server, and say what is missing',
  operands: [['<target...>', 'https://…/mcp of a server, or a program after --']],
  options: [
    { flags: '--revision <version>', about: 'try this revision only' },
    { flags: '--only <id>', about: 'try only demands whose id begins like this' },
    { flags: '--tool <name=args>', about: 'call this tool with these arguments, as JSON' },
    { flags: '--slow <name=args>', about: 'a tool that takes its time' },
    { flags: '--header <name: value>', about: 'send this header with every request' },
    { flags: '--allow-calls', about: 'call every tool, those that change something too' },
    { flags: '--flood <calls>', about: 'send this many calls at once' },
    { flags: '--timeout <ms>', about: 'how long one answer may take' },
    { flags: '--total <ms>', about: 'how long everything may take' },
    { flags: '--format <format>', about: 'human, json, sarif or junit' },
    { flags: '--out <file>', about: 'write the report there' },
  ],
  examples: [['toolwire check https://mcp.example/mcp', 'enforced, missing or not tried']],
  load: async () => (await import('../check.js')).run,
}
