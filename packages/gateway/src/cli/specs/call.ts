import { type CommandSpec, command } from '../command.js'
import { connectionOptions, yesOption } from './shared-options.js'

export const callCommands: readonly CommandSpec[] = [
  command('list', 'List the tools of the gateway, an address or a command', {
    operands: [['[address]', 'https://…/mcp of a server; put a command after --']],
    options: [...connectionOptions, ['--all', 'also list resources and prompts']],
    examples: [
      ['toolwire list', 'tools of the gateway'],
      ['toolwire list https://mcp.example/mcp', 'tools of a server at an address'],
      ['toolwire list -- npx -y @modelcontextprotocol/server-everything', 'tools of a program'],
      ["toolwire list --json | jq -r '.tools[].name'", 'names only, for scripts'],
    ],
    load: async () => (await import('../list.js')).run,
  }),
  command('call', 'Call a tool', {
    more: `Write arguments as name=value (typed by the tool's schema), name:=json, name=@file or name:=@file.json. name=@@text is text that begins with @.
In a terminal, missing arguments are prompted for, and a tool that may change something is called only after you confirm.`,
    operands: [
      ['<tool>', 'name of the tool, from toolwire list'],
      ['[arguments...]', 'name=value, and the https://… of a server other than the gateway'],
    ],
    options: [
      ...connectionOptions,
      ['--input <json>', 'all arguments as JSON, @file or - for stdin; also --json {…}'],
      ['--out <folder>', 'folder for images, audio and files (default: current folder)'],
      ['--timeout <seconds>', 'stop waiting after this time'],
      yesOption,
    ],
    examples: [
      ['toolwire call shop__search query=mug limit=5', 'through the gateway'],
      ['toolwire call add a=1 b=2 -- node server.js', 'of a program'],
      [
        'toolwire call resize image=@photo.b64 size:=\'{"width":100}\' https://mcp.example/mcp',
        'with a file and JSON as arguments',
      ],
      ['toolwire call shop__order', 'prompts for missing arguments'],
    ],
    load: async () => (await import('../call/call.js')).run,
  }),
  command('inspect', 'Show the full definition of a tool', {
    operands: [
      ['<tool>', 'name of the tool'],
      ['[address]', 'https://…/mcp of a server other than the gateway'],
    ],
    options: connectionOptions,
    examples: [
      ['toolwire inspect shop__order', 'arguments, hints and the hash to pin'],
      ['toolwire inspect add --json -- node server.js', 'the exact definition'],
    ],
    load: async () => (await import('../inspect.js')).run,
  }),
]
